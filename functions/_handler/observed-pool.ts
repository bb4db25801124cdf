import type { Stored } from '#shared/ledger/ledger.ts';
import type { RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';

/** The version of a row that the table does not hold yet. */
export const unwritten = 0;

/**
 * The ids of a run as a stage that observes takes them: those that people bound are there, those that were used are gone, and what it would
 * have used itself comes on top. Pure.
 * @param own - the row of what would have been
 * @param real - the row that people and a stage that acts write; it is only read
 */
export function observedPool(
  own: Stored<RunIdPoolRow> | undefined,
  real: Stored<RunIdPoolRow> | undefined,
): Stored<RunIdPoolRow> | undefined {
  if (real === undefined) return own;
  const { pk, kind, run, added } = real;
  const fresh: Stored<RunIdPoolRow> = { pk, kind, run, used: [], added: [], live: [], version: unwritten, writer: '' };
  const mine = own ?? fresh;
  return { ...mine, added, used: [...new Set([...real.used, ...mine.used])] };
}
