import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';

/** After the platform has cut the tick that holds it, and its clock may differ. */
const leaseMarginMs = 30_000;

/** What the row remembers from tick to tick. */
export type Progress = Omit<ReconcileRow, 'pk' | 'kind' | 'lease'>;

/** The reconciler's row, held under a lease. */
export interface ReconcileHead {
  /** What the last tick left. */
  readonly progress: Progress;
  /** Writes the progress and gives the lease back; false: another tick has taken the row, and its progress holds. */
  readonly release: (progress: Progress) => Promise<boolean>;
}

/** Takes the row until this tick is certainly over; `undefined` while another tick holds it. */
export async function takeReconcileHead(options: {
  readonly ledger: Ledger;
  readonly owner: string;
  readonly now: Date;
  readonly remainingMs: number;
}): Promise<ReconcileHead | undefined> {
  const { ledger, owner, now, remainingMs } = options;
  const pk = ledgerKeys.reconcile();
  const found = await ledger.read<ReconcileRow>(pk);
  if (isHeldByOther(found, owner, now)) return undefined;
  const lease = { owner, until: new Date(now.getTime() + remainingMs + leaseMarginMs).toISOString() };
  const taken = await ledger.write<ReconcileRow>(found, { pk, kind: 'reconcile', ...progressOf(found), lease });
  if (taken === undefined) return undefined;
  return {
    progress: progressOf(taken),
    release: async (progress) =>
      (await ledger.write<ReconcileRow>(taken, { pk, kind: 'reconcile', ...progress })) !== undefined,
  };
}

function progressOf(item: Stored<ReconcileRow> | undefined): Progress {
  if (item === undefined) return { since: {} };
  const { pk: _pk, kind: _kind, lease: _lease, version: _version, writer: _writer, ...progress } = item;
  return progress;
}

function isHeldByOther(item: ReconcileRow | undefined, owner: string, now: Date): boolean {
  const lease = item?.lease;
  return lease !== undefined && lease.owner !== owner && Date.parse(lease.until) > now.getTime();
}
