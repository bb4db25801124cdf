import type { Ledger, RowChange, Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';

/** The port of the ledger over a map, for a measurement of something else: no row is copied. */
export function createLightLedger(): Ledger {
  const rows = new Map<string, Stored>();
  let writes = 0;

  const isUnchanged = ({ before, after }: RowChange) => {
    const current = rows.get(after.pk);
    return current?.version === before?.version && current?.writer === before?.writer;
  };

  function put({ before, after }: RowChange): Stored {
    const stored = { ...after, version: (before?.version ?? 0) + 1, writer: `w${(writes += 1)}` };
    rows.set(after.pk, stored);
    return stored;
  }

  return {
    // A key is of one kind of row.
    read: async <Row extends LedgerRow>(pk: Row['pk']) => rows.get(pk) as Stored<Row> | undefined,
    readMany: async (pks) =>
      new Map(pks.flatMap((pk) => (rows.has(pk) ? [[pk, rows.get(pk)] as const] : []))) as Map<string, Stored>,
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      return isUnchanged({ before, after }) ? (put({ before, after }) as Stored<Row>) : undefined;
    },
    writeAll: async (changes) => (changes.every(isUnchanged) ? changes.map(put) : 'row-changed'),
    listOpen: async (state) => ({ items: [...rows.values()].filter(({ openState }) => openState === state) }),
  };
}
