/**
 * The log of requests: written before a request is served and completed after it, so that a kill in
 * between leaves its trace.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OperationName } from '../model/resources.ts';
import { documentOf } from './database.ts';

/** One request as it came in and what became of it. Headers are not kept, so no token ever is. */
export interface LoggedRequest {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly operation: OperationName | null;
  readonly requestId: string;
  /** Null while it is served, and for ever if no status was sent (a fault, or a kill). */
  readonly status: number | null;
  /** The fault that struck it, by id. */
  readonly fault: string | null;
  /** The first 4,096 characters of the body; null if none was read. */
  readonly body: string | null;
}

const keptRequests = 10_000; // a night of polls and a chaos run; about 3 MB
const keptWithoutToken = 1_000; // enough to see who asks; a flood of them must not push out the others
const pruneEvery = 100; // a delete per request would double the writes
const bodyCharacters = 4_096;

/** Two bounded rings of {@link LoggedRequest}: those with a good token, and the others. */
export class RequestLog {
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #prune: StatementSync;
  readonly #all: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO arrivals (hasToken, document) VALUES (?, ?)');
    this.#update = database.prepare('UPDATE arrivals SET document = ? WHERE seq = ?');
    this.#prune = database.prepare(
      `DELETE FROM arrivals WHERE hasToken = :ring AND seq <=
        (SELECT seq FROM arrivals WHERE hasToken = :ring ORDER BY seq DESC LIMIT 1 OFFSET :kept)`,
    );
    this.#all = database.prepare('SELECT document FROM arrivals ORDER BY seq');
  }

  /**
   * Notes an arrival; the number answered is for {@link complete}.
   * @param hasToken - a good one
   */
  begin(request: LoggedRequest, hasToken: boolean): number {
    const sequence = Number(this.#insert.run(Number(hasToken), JSON.stringify(request)).lastInsertRowid);
    if (sequence % pruneEvery === 0) {
      this.#prune.run({ ring: 1, kept: keptRequests });
      this.#prune.run({ ring: 0, kept: keptWithoutToken });
    }
    return sequence;
  }

  complete(sequence: number, request: LoggedRequest): void {
    const body = request.body === null ? null : request.body.slice(0, bodyCharacters);
    this.#update.run(JSON.stringify({ ...request, body }), sequence);
  }

  /** Oldest first. */
  all(): LoggedRequest[] {
    return this.#all.all().map((row): LoggedRequest => JSON.parse(documentOf(row)));
  }
}
