/**
 * What callers make beside the template: queues, rules, subscriptions, schedules. Kept like all state, so that a killed runner loses none of it
 * and the next one still shows what a caller forgot to take away.
 */
import { parseJsonObject } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { openDatabase, textColumn } from './open-database.ts';

/** One kind of resource that calls can make. */
export type MadeKind = 'queue' | 'rule' | 'schedule' | 'subscription';

/** The resources that were made by calls. */
export interface MadeResources {
  all(kind: MadeKind): readonly JsonObject[];
  /** Makes it, or puts another in its place. */
  put(kind: MadeKind, id: string, resource: JsonObject): void;
  remove(kind: MadeKind, id: string): void;
  close(): void;
}

const SCHEMA = 'CREATE TABLE IF NOT EXISTS made (kind TEXT, id TEXT, resource TEXT NOT NULL, PRIMARY KEY (kind, id));';

/** Opens those kept in `dataDir`. */
export function openMadeResources(dataDir: string): MadeResources {
  const database = openDatabase(dataDir, 'made.db', SCHEMA);
  const list = database.prepare('SELECT resource FROM made WHERE kind = ? ORDER BY id');
  const put = database.prepare('INSERT OR REPLACE INTO made (kind, id, resource) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM made WHERE kind = ? AND id = ?');
  return {
    all: (kind) => list.all(kind).map((row) => parseJsonObject(textColumn(row, 'resource') ?? '', `a made ${kind}`)),
    put: (kind, id, resource) => void put.run(kind, id, JSON.stringify(resource)),
    remove: (kind, id) => void remove.run(kind, id),
    close: () => database.close(),
  };
}
