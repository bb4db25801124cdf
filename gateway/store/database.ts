/** Opens the one SQLite file that holds the gateway's state, in a mode that survives a kill at any instant. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const schema = `
  CREATE TABLE IF NOT EXISTS projects         (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS endpoints        (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS campaigns        (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS campaign_runs    (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS scanner_packages (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS datasets         (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS history     (seq INTEGER PRIMARY KEY, subject TEXT NOT NULL, at INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS history_by_subject ON history (subject, at, seq);
  CREATE TABLE IF NOT EXISTS transitions (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, document TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS transitions_by_run ON transitions (run, seq);
  -- AUTOINCREMENT: a request still served when the log is cleared must not complete another one's line.
  CREATE TABLE IF NOT EXISTS requests    (seq INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL) STRICT;
`;

/** Opens (and creates, with its folder) the database; `:memory:` keeps everything in this process. */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  // WAL with NORMAL: a committed change outlives the process that made it; only a power cut may cost the last few.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
  database.exec(schema);
  return database;
}

/** Runs `work` as one change: all of it is kept, or none. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
