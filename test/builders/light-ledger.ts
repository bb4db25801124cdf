import type { Ledger, RowChange, Stored } from '#shared/ledger/ledger.ts';
import { refuseTwofold } from '#shared/ledger/memory-ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';

/** What a history sees of the ledger beside its port. */
export interface LightLedger extends Ledger {
  readonly all: () => IterableIterator<Stored>;
  readonly get: <Row extends LedgerRow>(pk: string) => Stored<Row> | undefined;
}

/** A row as it was and as it is. */
export interface Written {
  readonly before?: Stored;
  readonly after: Stored;
}

/**
 * The port of the ledger in memory, for searches and measurements. Each row is copied once when it is
 * written, without `undefined`, and frozen by convention. `memory-ledger.ts` copies on each read as
 * well, which takes most of a history's time.
 * @param keep - copies a row that is written; a measurement of something else copies none
 */
export function createLightLedger(
  onWritten: (rows: readonly Written[]) => void = () => {},
  keep: <Value>(value: Value) => Value = kept,
): LightLedger {
  const rows = new Map<string, Stored>();
  let writes = 0;

  const isUnchanged = ({ before, after }: RowChange) => {
    const current = rows.get(after.pk);
    return current?.version === before?.version && current?.writer === before?.writer;
  };

  function putAll(changes: readonly RowChange[]): Stored[] {
    writes += 1;
    const written = changes.map(({ before, after }) => {
      const stored = keep({ ...after, version: (before?.version ?? 0) + 1, writer: `w${writes}` });
      const was = rows.get(after.pk);
      rows.set(after.pk, stored);
      return { before: was, after: stored };
    });
    onWritten(written);
    return written.map(({ after }) => after);
  }

  return {
    // A key is of one kind of row.
    read: async <Row extends LedgerRow>(pk: Row['pk']) => rows.get(pk) as Stored<Row> | undefined,
    readMany: async (pks) =>
      new Map(pks.flatMap((pk) => (rows.has(pk) ? [[pk, rows.get(pk) as Stored] as const] : []))),
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      if (!isUnchanged({ before, after })) return undefined;
      return putAll([{ before, after }])[0] as Stored<Row>;
    },
    async writeAll(changes) {
      refuseTwofold(changes);
      return changes.every(isUnchanged) ? putAll(changes) : 'row-changed';
    },
    async listOpen(state) {
      return { items: [...rows.values()].filter(({ openState }) => openState === state) };
    },
    all: () => rows.values(),
    get: <Row extends LedgerRow>(pk: string) => rows.get(pk) as Stored<Row> | undefined,
  };
}

/** As JSON keeps it. */
function kept<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((one) => kept<unknown>(one)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (entry !== undefined) copy[key] = typeof entry === 'object' ? kept(entry) : entry;
  }
  return copy as Value;
}
