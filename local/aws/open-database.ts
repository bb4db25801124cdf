/**
 * SQLite as the emulators use it: written through at every commit, so a killed process loses
 * nothing that it answered.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fromState } from '../state/start-problem.ts';
import { parseJsonObject } from '../template/json.ts';

/** Opens (or creates) a database file in a folder that only its owner can read. */
export function openDatabase(dataDir: string, file: string, schema: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, file);
  return fromState(path, () => {
    const database = new DatabaseSync(path);
    try {
      // WAL with NORMAL: safe against the death of the process (not of the machine), without a disk
      // flush per message.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      database.exec(schema);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

// The schedules that callers make beside the template, or change. Kept like all state.

/** One kind of resource that calls can make. */
type MadeKind = 'schedule' | 'changed-schedule';

/** The resources that were made by calls. */
export type MadeResources = ReturnType<typeof openMadeResources>;

const SCHEMA = 'CREATE TABLE IF NOT EXISTS made (kind TEXT, id TEXT, resource TEXT NOT NULL, PRIMARY KEY (kind, id));';

/** Opens those kept in `dataDir`. */
export function openMadeResources(dataDir: string) {
  const database = openDatabase(dataDir, 'made.db', SCHEMA);
  const list = database.prepare('SELECT resource FROM made WHERE kind = ? ORDER BY id');
  const put = database.prepare('INSERT OR REPLACE INTO made (kind, id, resource) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM made WHERE kind = ? AND id = ?');
  return {
    all: (kind: MadeKind) => list.all(kind).map(({ resource }) => parseJsonObject(String(resource), `a made ${kind}`)),
    /** Makes it, or puts another in its place. */
    put: (kind: MadeKind, id: string, resource: object) => void put.run(kind, id, JSON.stringify(resource)),
    remove: (kind: MadeKind, id: string) => void remove.run(kind, id),
    close: () => database.close(),
  };
}
