import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { rowsAtOnce } from '../../builders/rows-at-once.ts';

/**
 * A ledger for a million uploads. The same conditional writes as the one in memory, without its
 * copies, and without the rows of uploads that have been applied. Their messages are acknowledged
 * in the same batch, so they are not asked for again.
 */
export function createLeanLedger(): Ledger {
  const rows = new Map<string, Stored>();
  let writes = 0;

  /** The row of the upload and of its dataset. */
  function forget(row: LedgerRow): void {
    rows.delete(row.pk);
    if (row.kind === 'upload' && row.datasetKey !== undefined) rows.delete(row.datasetKey);
  }

  const one: Pick<Ledger, 'read' | 'write'> = {
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      return rows.get(pk) as Stored<Row> | undefined;
    },
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      const current = rows.get(after.pk);
      if (current?.version !== before?.version || current?.writer !== before?.writer) return undefined;
      writes += 1;
      const stored = { ...after, version: (before?.version ?? 0) + 1, writer: `w${writes}` };
      Object.freeze(stored);
      if ('state' in after && after.state === 'APPLIED') forget(after);
      else rows.set(after.pk, stored);
      return stored;
    },
  };
  return {
    ...one,
    ...rowsAtOnce(one),
    listOpen: async () => ({ items: [] }),
  };
}
