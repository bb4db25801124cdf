import { AppError } from '../../shared/errors/app-error.ts';
import { ledgerKeys, type WatchItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';

/**
 * How long a poll that died keeps others away. Longer than the longest request between two renewals (15 s with its repeats) by far; what
 * keeps two polls from spoiling each other's work is not the lease but the version that each write is conditioned on.
 */
const leaseMs = 90_000;

/** Somebody else wrote a row of this watch: the poll ends and concludes nothing. */
export class LeaseLostError extends AppError {
  override readonly name = 'LeaseLostError';

  constructor(row: string) {
    super(`${row} was written by another poll of the same watch; this one ends`, {
      code: 'LEASE_LOST',
      retryable: true,
    });
  }
}

/** The head row of a watch, held under a lease. */
export interface WatchHead {
  /** The row as last written. */
  readonly item: () => Stored<WatchItem>;
  /** Writes the row. @throws LeaseLostError when somebody else wrote it since */
  readonly write: (after: WatchItem) => Promise<void>;
  /** Makes the lease longer once half of it is over. @throws LeaseLostError */
  readonly renewLease: () => Promise<void>;
  /** Lets the next poll in at once; nothing to do where the lease is given back or lost. */
  readonly release: () => Promise<void>;
}

/** Takes the head row of a watch; `undefined` while somebody else holds it. */
export async function takeWatch(options: {
  readonly ledger: Ledger;
  readonly watch: string;
  readonly filtersHash: string;
  readonly owner: string;
  readonly now: () => Date;
}): Promise<WatchHead | undefined> {
  const { ledger, watch, filtersHash, owner, now } = options;
  const pk = ledgerKeys.watch(watch);
  const newLease = () => ({ owner, until: new Date(now().getTime() + leaseMs).toISOString() });

  const before = await ledger.read<WatchItem>(pk);
  if (isHeldByOther(before, owner, now())) return undefined;
  const fresh: WatchItem = before ?? { pk, kind: 'watch', name: watch, filtersHash };
  const taken = await ledger.write<WatchItem>(before, { ...fresh, lease: newLease() });
  if (taken === undefined) return undefined;
  let current = taken;

  async function write(after: WatchItem): Promise<void> {
    const written = await ledger.write<WatchItem>(current, after);
    if (written === undefined) throw new LeaseLostError(pk);
    current = written;
  }

  return {
    item: () => current,
    write,
    async renewLease() {
      const leftMs = Date.parse(current.lease?.until ?? '') - now().getTime();
      if (leftMs < leaseMs / 2) await write({ ...current, lease: newLease() });
    },
    async release() {
      if (current.lease === undefined) return;
      await ledger.write<WatchItem>(current, withoutLease(current));
    },
  };
}

/** The row without its lease. */
export function withoutLease(item: WatchItem): WatchItem {
  const { lease: _, ...rest } = item;
  return rest;
}

function isHeldByOther(item: WatchItem | undefined, owner: string, now: Date): boolean {
  const lease = item?.lease;
  return lease !== undefined && lease.owner !== owner && Date.parse(lease.until) > now.getTime();
}
