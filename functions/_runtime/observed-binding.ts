import type { BindingItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';

/** The version of a row that nobody has written yet. */
export const unwritten = 0;

/**
 * The ids of a run as a stage that observes takes them: those that people bound are there, those that were used are gone, and what it would
 * have used itself comes on top. Pure.
 * @param own - the row of what would have been
 * @param real - the row that people and a stage that acts write; it is only read
 */
export function observedBinding(
  own: Stored<BindingItem> | undefined,
  real: Stored<BindingItem> | undefined,
): Stored<BindingItem> | undefined {
  if (real === undefined) return own;
  const { pk, kind, run, added, used, usedBefore = [] } = real;
  const fresh: Stored<BindingItem> = { pk, kind, run, used: [], added: [], version: unwritten, writer: '' };
  const mine = own ?? fresh;
  const gone = [...usedBefore, ...used.map(({ campaignRunId }) => campaignRunId), ...(mine.usedBefore ?? [])];
  return { ...mine, added, usedBefore: [...new Set(gone)] };
}
