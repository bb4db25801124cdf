/**
 * Opens the one SQLite file that holds the gateway's state, in a mode that survives a kill at any
 * instant.
 */
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** The tables that hold documents by id. */
const documentTables = ['projects', 'endpoints', 'campaigns', 'campaign_runs', 'scanner_packages', 'datasets'] as const;

const schema = `
  ${documentTables.map((name) => `CREATE TABLE IF NOT EXISTS ${name} (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;`).join('')}
  CREATE TABLE IF NOT EXISTS history     (seq INTEGER PRIMARY KEY, subject TEXT NOT NULL, at INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS history_by_subject ON history (subject, at, seq);
  CREATE TABLE IF NOT EXISTS transitions (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, document TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS transitions_by_run ON transitions (run, seq);
  CREATE TABLE IF NOT EXISTS arrivals    (seq INTEGER PRIMARY KEY, hasToken INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
`;

/** SQLite's own error for bytes that are something else. */
const notADatabase = { code: 'ERR_SQLITE_ERROR', errcode: 26 };

/**
 * Takes the file, and makes its folder. Two gateways would both count what a run does automatically.
 * The lock ends with the process, and readers of the database do not meet it.
 * @returns lets another gateway take it
 * @throws SQLite's error 5 if a gateway has it, 26 if it holds something else
 */
export function takeDatabaseFile(path: string): () => void {
  if (path === ':memory:') return () => {};
  mkdirSync(dirname(path), { recursive: true });
  const file = existsSync(path) ? realpathSync(path) : path;
  // SQLite counts one byte as none (unixFileSize), and would write over it.
  if (existsSync(file) && statSync(file).size === 1)
    throw Object.assign(new Error('file is not a database'), notADatabase);
  return takeLock(`${file}.lock`);
}

/**
 * Takes a lock of the file system, which ends with its process however that ends.
 * @returns lets another process take it
 * @throws SQLite's error 5 if another process has it
 */
export function takeLock(path: string): () => void {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Opens (and creates) the database; `:memory:` keeps everything in this process. */
export function openGatewayDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  // WAL with NORMAL: a committed change outlives the process that made it; only a power cut may
  // cost the last few.
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

// A table of JSON documents by id, in the order in which they were first put.

/**
 * The JSON text of a row. The rows are written by this room only, so callers know the shape of what
 * they parse.
 */
export function documentOf(row: Record<string, unknown>): string {
  return String(row['document']);
}

/** Reads and writes whole documents; nothing here knows what they mean. */
export class DocumentTable<T extends { readonly id: string }> {
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #all: StatementSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync, table: (typeof documentTables)[number]) {
    this.#get = database.prepare(`SELECT document FROM ${table} WHERE id = ?`);
    this.#put = database.prepare(
      `INSERT INTO ${table} (id, document) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET document = excluded.document`,
    );
    this.#delete = database.prepare(`DELETE FROM ${table} WHERE id = ?`);
    this.#all = database.prepare(`SELECT document FROM ${table} ORDER BY rowid`);
    this.#count = database.prepare(`SELECT count(*) AS rows FROM ${table}`);
  }

  get(id: string): T | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : JSON.parse(documentOf(row));
  }

  put(document: T): void {
    this.#put.run(document.id, JSON.stringify(document));
  }

  /** True if there was something to delete. */
  delete(id: string): boolean {
    return this.#delete.run(id).changes > 0;
  }

  all(): T[] {
    return this.#all.all().map((row): T => JSON.parse(documentOf(row)));
  }

  get isEmpty(): boolean {
    return this.#count.get()?.['rows'] === 0;
  }
}
