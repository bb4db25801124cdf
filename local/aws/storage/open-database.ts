/** SQLite as the emulators use it: written through at every commit, so a killed process loses nothing that it answered. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fromState } from '../../stage/start-problem.ts';

/** Opens (or creates) a database file in a folder that only its owner can read. */
export function openDatabase(dataDir: string, file: string, schema: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, file);
  return fromState(path, () => {
    const database = new DatabaseSync(path);
    // WAL with NORMAL: safe against the death of the process (not of the machine), without a disk flush per message.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    database.exec(schema);
    return database;
  });
}

/** Runs a piece of work in one transaction. */
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

/** A text column of a row; absent or of another kind reads as undefined. */
export function textColumn(row: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
}

/** A number column of a row; NULL reads as undefined. */
export function numberColumn(row: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = row[name];
  return typeof value === 'number' ? value : undefined;
}
