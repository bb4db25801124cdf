import * as z from 'zod';
import { AppError } from '#shared/errors/app-error.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';

/** A row that one tick at a time works on. */
type Leasable = Extract<LedgerRow, { readonly lease?: { readonly owner: string; readonly until: string } }>;

/** Another writer changed a row that this tick held: it ends and concludes nothing. */
export class LeaseLostError extends AppError {
  override readonly name = 'LeaseLostError';

  constructor(row: string) {
    super(`${row} was written by another tick of the same watch; this one ends`, {
      code: 'LEASE_LOST',
      retryable: true,
    });
  }
}

/** A row held under a lease. */
export interface LeasedRow<Row extends Leasable> {
  /** The row as last written. */
  readonly current: () => Stored<Row>;
  /** Writes the row. @throws LeaseLostError if another tick wrote it since */
  readonly write: (after: Row) => Promise<void>;
  /** Makes the lease longer once half of it is over. @throws LeaseLostError */
  readonly renewLease: () => Promise<void>;
  /** Lets the next tick in at once; does nothing if the lease is given back or lost. */
  readonly release: () => Promise<void>;
}

/** Whose row, for how long. */
export interface LeaseOptions<Row extends Leasable> {
  readonly ledger: Ledger;
  /** The row to begin with, if none exists. */
  readonly fresh: Row;
  readonly owner: string;
  /**
   * How long a tick that died keeps others away. What keeps two ticks from spoiling each other's
   * work is not the lease but the version that each write is conditioned on.
   */
  readonly leaseMs: number;
  readonly now: () => Date;
}

/** Takes a row; `undefined` while another tick holds it. */
export async function takeRow<Row extends Leasable>(options: LeaseOptions<Row>): Promise<LeasedRow<Row> | undefined> {
  const { ledger, fresh, owner, leaseMs, now } = options;
  const { pk } = fresh;
  const newLease = () => ({ owner, until: new Date(now().getTime() + leaseMs).toISOString() });

  const before = await ledger.read<Row>(pk);
  if (isHeldByOther(before, owner, now())) return undefined;
  const taken = await ledger.write<Row>(before, { ...(before ?? fresh), lease: newLease() });
  if (taken === undefined) return undefined;
  let current = taken;

  async function write(after: Row): Promise<void> {
    const written = await ledger.write<Row>(current, after);
    if (written === undefined) throw new LeaseLostError(pk);
    current = written;
  }

  return {
    current: () => current,
    write,
    async renewLease() {
      const leftMs = Date.parse(current.lease?.until ?? '') - now().getTime();
      if (leftMs < leaseMs / 2) await write({ ...current, lease: newLease() });
    },
    async release() {
      if (current.lease === undefined) return;
      await ledger.write<Row>(current, withoutLease<Row>(current));
    },
  };
}

/** The row without its lease. */
export function withoutLease<Row extends Leasable>(row: Row): Row {
  const { lease: _, ...rest } = row;
  // Every row that may be leased may be without a lease.
  return rest as Row;
}

function isHeldByOther(row: Leasable | undefined, owner: string, now: Date): boolean {
  const lease = row?.lease;
  return lease !== undefined && lease.owner !== owner && Date.parse(lease.until) > now.getTime();
}

const watchEvent = z.object({ watch: z.string() });

/**
 * The watch that a schedule's event names.
 * @throws AppError UNKNOWN_WATCH
 */
export function watchOf<Watch extends { readonly name: string }>(event: unknown, watches: readonly Watch[]): Watch {
  const parsed = watchEvent.safeParse(event);
  const watch = watches.find(({ name }) => name === parsed.data?.watch);
  if (watch !== undefined) return watch;

  const asked = parsed.success ? `there is no watch "${parsed.data.watch}"` : 'the event is not {"watch": "NAME"}';
  const known = watches.map(({ name }) => name).join(', ') || 'none';
  throw new AppError(`${asked}; configured watches: ${known}`, { code: 'UNKNOWN_WATCH', retryable: false });
}
