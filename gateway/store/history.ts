/** What something was set to at any earlier instant: the answer to `configAt`. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { documentOf } from './document-table.ts';

/** Versions of a configuration by subject (a project's or campaign's id), each valid from its instant on. */
export class History<T> {
  readonly #insert: StatementSync;
  readonly #at: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO history (subject, at, document) VALUES (?, ?, ?)');
    this.#at = database.prepare(
      'SELECT document FROM history WHERE subject = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1',
    );
  }

  record(subject: string, at: Date, version: T): void {
    this.#insert.run(subject, at.getTime(), JSON.stringify(version));
  }

  /** The version in force at that instant; nothing where the subject did not exist yet. */
  at(subject: string, instant: Date): T | undefined {
    const row = this.#at.get(subject, instant.getTime());
    return row === undefined ? undefined : JSON.parse(documentOf(row));
  }
}
