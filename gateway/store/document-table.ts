/** A table of JSON documents by id, in the order in which they were first put. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The tables that hold documents by id. */
export type DocumentTableName =
  | 'projects'
  | 'endpoints'
  | 'campaigns'
  | 'campaign_runs'
  | 'scanner_packages'
  | 'datasets';

/** The JSON text of a row. The rows are written by this room only, so callers know the shape of what they parse. */
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

  constructor(database: DatabaseSync, table: DocumentTableName) {
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

  /** True where there was something to delete. */
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
