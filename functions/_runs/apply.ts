import type { Ledger } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Rows } from './decide/state.ts';

/**
 * Writes the rows of a decision, all or nothing, each on the condition that it is as it was read. The only writer of the rows of runs in the worker.
 * @returns the rows as they are stored now, or `'row-changed'` if any of them was written concurrently: read again, decide again
 */
export async function apply(
  writes: readonly LedgerRow[],
  rows: Rows,
  { ledger }: { readonly ledger: Pick<Ledger, 'writeAll'> },
): Promise<Rows | 'row-changed'> {
  if (writes.length === 0) return rows;
  const written = await ledger.writeAll(writes.map((after) => ({ before: rows.get(after.pk), after })));
  return written === 'row-changed' ? written : new Map([...rows, ...written.map((row) => [row.pk, row] as const)]);
}
