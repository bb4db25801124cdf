import type { LedgerRowBase, RecordedOutcome } from './ledger-row.ts';

/** The last outcomes, newest first: written once a batch, best effort, for `autopilot status` alone. The rows themselves are the record. */
export interface RecentRow extends LedgerRowBase {
  readonly kind: 'recent';
  /** One text for each: `recent-outcomes.ts` writes and reads it. Absent in rows of an earlier form, which nobody reads any more. */
  readonly lines?: readonly string[];
}

/** One line of `autopilot status`. */
export interface RecentOutcome extends RecordedOutcome {
  readonly worker: string;
  /** What it was about: a command id, an object key. */
  readonly subject: string;
}
