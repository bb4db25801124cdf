import type { SilenceReason } from '../../vocabulary/silence-reasons.ts';
import type { LedgerRowBase } from './row-base.ts';

/** The reconciler's progress: one row, and its lease. */
export interface ReconcileRow extends LedgerRowBase {
  readonly kind: 'reconcile';
  readonly lease?: { readonly owner: string; readonly until: string };
  /** For each watched prefix: uploads before this instant are not looked for. */
  readonly since: Readonly<Record<string, string>>;
  /** When the last tick began that looked at the open rows. */
  readonly sweptAt?: string;
  /** When the last pass over the bucket began that saw every page. */
  readonly lastPassAt?: string;
  /** When the last pass began that looked 30 days back. */
  readonly fullPassAt?: string;
  /** The pass under way, and how far it is. */
  readonly pass?: {
    readonly startedAt: string;
    readonly isFull: boolean;
    /** The prefix that is being listed; absent before the first page. */
    readonly root?: string;
    /** Its last listed version; absent before the first page of the prefix. */
    readonly after?: { readonly key: string; readonly versionId?: string };
  };
  /** Of each schedule that starts a run: its times, and since when it is known to have them. */
  readonly schedules?: Readonly<Record<string, { readonly times: string; readonly since: string }>>;
  /** The silent schedules by name, as the last tick found them. */
  readonly silent?: Readonly<Record<string, RecordedSilence>>;
  /** When people were last reminded of a freeze or a pause, by the key of its row. */
  readonly reminded?: Readonly<Record<string, string>>;
}

/** Until when the stage only observed, as the reconciler of that mode saw it: occurrences before started nothing, and are not counted. */
export interface ObservedUntilRow extends LedgerRowBase {
  readonly kind: 'observed-until';
  readonly until: string;
}

/** Occurrences in a row that started nothing. Times are RFC 3339 in UTC. */
export interface MissedStarts {
  readonly missed: number;
  readonly first: string;
  readonly last: string;
  /** When the last one got an outcome; absent if it has none. */
  readonly endedAt?: string | undefined;
  /** The occurrence at which the schedule became silent. */
  readonly silentSince: string;
  /** Of the last one. */
  readonly reason: SilenceReason;
  /** What the ledger says of the last one. */
  readonly detail?: string;
}

/** A schedule that starts nothing. */
export interface RecordedSilence extends MissedStarts {
  /** The last occurrence that started its run, if it is not too long ago. */
  readonly lastStartAt?: string;
  /** When the last notice about this silence was sent. */
  readonly toldAt?: string;
}
