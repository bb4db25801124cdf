import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { WatchRow } from '#shared/ledger/rows/watch-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { type LeasedRow, takeRow } from '../_watch/leased-row.ts';

/** Longer by far than what is done between two renewals: a request (15 s with its repeats), or some fifty reads and writes of the ledger. */
const leaseMs = 90_000;

/** The head row of a watch, held under a lease. */
export type WatchHead = LeasedRow<WatchRow>;

/** Takes the head row of a watch; `undefined` while somebody else holds it. */
export async function takeWatch(options: {
  readonly ledger: Ledger;
  readonly watch: string;
  readonly filtersHash: string;
  readonly owner: string;
  readonly now: () => Date;
}): Promise<WatchHead | undefined> {
  const { ledger, watch, filtersHash, owner, now } = options;
  const fresh: WatchRow = { pk: ledgerKeys.watch(watch), kind: 'watch', name: watch, filtersHash };
  return takeRow({ ledger, fresh, owner, leaseMs, now });
}
