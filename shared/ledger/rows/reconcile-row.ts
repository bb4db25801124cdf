import type { SilenceReason } from '../../vocabulary/silence-reasons.ts';
import type { LedgerRowBase } from './ledger-row.ts';

/** The reconciler's progress: one row, and its lease. */
export interface ReconcileRow extends LedgerRowBase {
  readonly kind: 'reconcile';
  readonly lease?: { readonly owner: string; readonly until: string };
  /** For each watched prefix: uploads before this instant are not looked for. */
  readonly since: Readonly<Record<string, string>>;
  /** When the open rows were last looked at. */
  readonly sweptAt?: string;
  /** The last pass over the bucket that saw every page. */
  readonly lastPass?: {
    readonly startedAt: string;
    /** The oldest upload without a row whose message may still wait in its queue. */
    readonly oldestWaiting?: string;
  };
  /** When the last pass began that looked 30 days back. */
  readonly fullPassAt?: string;
  /** The pass under way, and how far it is. */
  readonly pass?: {
    readonly startedAt: string;
    /** Rows of older versions are not read. */
    readonly from: string;
    readonly isFull: boolean;
    readonly oldestWaiting?: string;
    /** The prefix that is being listed; absent before the first page. */
    readonly root?: string;
    /** Its last listed version; absent before the first page of the prefix. */
    readonly after?: { readonly key: string; readonly versionId?: string };
  };
}

/**
 * What the reconciler remembers of the schedules that start runs, and what it reminded people of:
 * one row.
 */
export interface SilenceRow extends LedgerRowBase {
  readonly kind: 'silence';
  /** By the schedule's name. */
  readonly schedules: Readonly<Record<string, ScheduleMemory>>;
  /** When people were last reminded of a freeze or a pause, by the key of its row. */
  readonly reminded?: Readonly<Record<string, string>>;
}

/**
 * How far the occurrences of one schedule were judged, and what they came to. Instants are RFC 3339
 * in UTC.
 */
export interface ScheduleMemory {
  /** Expression, zone and begin: a schedule with other times begins afresh. */
  readonly times: string;
  /** Occurrences after this instant are still to be judged. */
  readonly judgedUntil: string;
  /** The last occurrence that started its run. */
  readonly startedAt?: string;
  /** Occurrences without a start since then. @default none */
  readonly missed?: Missed;
  /** The occurrence at which the schedule became silent. @default it is not silent */
  readonly silentSince?: string;
  /** When the last notice about this silence was sent. */
  readonly toldAt?: string;
}

/** Occurrences in a row that started nothing. */
export interface Missed {
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** Of the last one. */
  readonly reason: SilenceReason;
  /** What the ledger says of the last one. */
  readonly detail?: string;
}
