import type { LedgerRowBase } from './ledger-row.ts';

/** Where the reconciler stands: one row, and its lease. */
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
