import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { rowsAtOnce } from '../../builders/rows-at-once.ts';

/**
 * Rows that are kept: more than a batch touches. A table's memory is not the worker's, and nor is
 * the garbage that it makes.
 */
const mostRows = 1000;

/**
 * The least that a ledger can be: conditions are held, nothing is copied. What DynamoDB's client
 * costs is a matter of the cold start and of the counts of reads and writes, and not of the CPU of
 * the product's own code.
 * @param rows - by key; what is written goes there
 */
export function createPlainLedger(rows = new Map<string, Stored>()): Ledger {
  const one: Pick<Ledger, 'read' | 'write'> = {
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      // A key holds rows of its own kind alone.
      return rows.get(pk) as Stored<Row> | undefined;
    },
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      const current = rows.get(after.pk);
      if (current?.version !== before?.version || current?.writer !== before?.writer) return undefined;
      const stored = { ...after, version: (before?.version ?? 0) + 1, writer: 'bench' };
      if (current !== undefined) rows.delete(after.pk);
      rows.set(after.pk, stored);
      if (rows.size > 2 * mostRows) dropOldest(rows);
      return stored;
    },
  };
  return {
    ...one,
    ...rowsAtOnce(one),
    async listOpen() {
      return { items: [] };
    },
  };
}

/** Many at once: to look for the oldest one at each write would cost more than the write. */
function dropOldest(rows: Map<string, Stored>): void {
  for (const pk of rows.keys()) {
    if (rows.size <= mostRows) return;
    rows.delete(pk);
  }
}
