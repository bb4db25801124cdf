import type { LockedField } from '../../uploads/locked-field.ts';
import type { OutcomeKind, ReasonCode } from '../../vocabulary/reason-codes.ts';

/**
 * What every row of the ledger has (docs/reference/ledger.md has the table of rows). Instants are
 * RFC 3339 in UTC.
 */
export interface LedgerRowBase {
  readonly pk: string;
  /** The sparse index `open` holds the rows that have one. */
  readonly openState?: OpenState;
  /** Since when, RFC 3339; the order of the index. */
  readonly openSince?: string;
  /** Epoch SECONDS after which DynamoDB may delete the row. @default never */
  readonly expiresAt?: number;
  /**
   * Of a command: `update-campaign-runs` had it from its queue. A column, since no other function
   * may write it.
   */
  readonly isTaken?: true;
  /** It tells what would have been, and nothing was sent: the stage only observes. */
  readonly isObserved?: true;
}

/** States that need a person, or are under way, and the history of commands. */
export type OpenState =
  /** Parked work, and findings. */
  | 'PARKED'
  /** Messages being worked on, or waiting to be. */
  | 'IN_FLIGHT'
  /**
   * Targets with a run in flight: apart, so that a backlog of uploads never hides a stop that is
   * due.
   */
  | 'RUN_IN_FLIGHT'
  /** Commands that were tried and have no outcome yet, by their first try. */
  | 'PENDING'
  /** Starts that a blackout defers, by the instant at which it is over. */
  | 'DEFERRED'
  /** Freezes and pauses that are on. */
  | 'SWITCHED'
  /** Freezes and pauses that are over, by their end. */
  | 'SWITCHED_BEFORE'
  /** Pools of runs that were made ahead: each, for ever. */
  | 'POOL'
  /** Watches whose changes wait until nothing more changes. */
  | 'SETTLING'
  /** Commands that need no person any more, by the instant of their outcome. */
  | 'ENDED';

/** How one accepted message ended. */
export interface RecordedOutcome {
  readonly kind: OutcomeKind;
  readonly reason?: ReasonCode;
  /** One or two sentences: what was found, what came back. */
  readonly detail?: string;
  /** Of an upload that is parked for a field which its rule locks. */
  readonly locked?: LockedField;
  readonly at: string;
}

/** The version and the writer of a row as read, which the next write of it is conditioned on. */
export interface RowVersion {
  /** Starts at 1, grows by 1 with each write. */
  readonly version: number;
  /** Id of the write that made this version: a lost answer to our own write is no lost race. */
  readonly writer: string;
}
