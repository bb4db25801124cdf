import {
  afterAnyInstant,
  type AskedLedger,
  beforeAnyInstant,
  firstRegistered,
  type RowChange,
  type Stored,
} from './ledger.ts';
import type { LedgerRow } from './ledger-row.ts';
import { madeDatasetOf } from './rows/upload-row.ts';

/**
 * 400 KB (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html), which
 * count names and values. The JSON of a row is a little longer.
 */
const mostRowBytes = 400 * 1024;

/**
 * The ledger in memory: the same answers as DynamoDB, for plans, unit tests and simulations. Rows
 * are copied in and out, and kept as the JSON that DynamoDB keeps. Fields that are `undefined` are
 * dropped, and a `Date` is its text.
 * @param rows what it holds by key; its caller may add a row that was never there. @default none
 */
export function createMemoryLedger(
  rows: Map<string, Stored> = new Map(),
): AskedLedger & { readonly all: () => readonly Stored[] } {
  let writes = 0;

  function isUnchanged({ before, after }: RowChange): boolean {
    const current = rows.get(after.pk);
    return current?.version === before?.version && current?.writer === before?.writer;
  }

  function put(stored: Stored): Stored {
    rows.set(stored.pk, stored);
    return copyOf(stored);
  }

  return {
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      const row = rows.get(pk);
      return row === undefined ? undefined : (copyOf(row) as Stored<Row>);
    },

    async readMany(pks) {
      const found = [...new Set(pks)].map((pk) => rows.get(pk)).filter((row) => row !== undefined);
      return new Map(found.map((row) => [row.pk, copyOf(row)]));
    },

    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      if (!isUnchanged({ before, after })) return undefined;
      writes += 1;
      // What was put under the key is the row that was given.
      return put(asKept({ before, after }, `w${writes}`)) as Stored<Row>;
    },

    async writeAll(changes) {
      refuseTwofold(changes);
      if (!changes.every(isUnchanged)) return 'row-changed';
      writes += 1;
      return changes.map((change) => asKept(change, `w${writes}`)).map(put);
    },

    async listOpen(state, range = {}) {
      const { limit = 100, cursor, newestFirst, since = beforeAnyInstant, until = afterAnyInstant } = range;
      const sign = newestFirst === true ? -1 : 1;
      const open = [...rows.values()]
        .filter(({ openState, openSince = '' }) => openState === state && since <= openSince && openSince <= until)
        .toSorted((a, b) => sign * orderOf(a).localeCompare(orderOf(b)))
        .filter((row) => cursor === undefined || sign * orderOf(row).localeCompare(cursor) > 0);
      const items = open.slice(0, limit);
      const last = items.at(-1);
      const isMore = last !== undefined && items.length < open.length;
      return { items: copyOf(items), next: isMore ? orderOf(last) : undefined };
    },

    async uploadOfDataset(datasetId) {
      const made = [...rows.values()].filter((row) => row.kind === 'upload');
      return copyOf(firstRegistered(made.filter((row) => madeDatasetOf(row) === datasetId)));
    },

    all: () => [...rows.values()],
  };
}

/** DynamoDB takes no row twice in a transaction. */
function refuseTwofold(changes: readonly RowChange[]): void {
  if (new Set(changes.map(({ after }) => after.pk)).size === changes.length) return;
  throw new Error('Transaction request cannot include multiple operations on one item');
}

/** @throws Error if DynamoDB would refuse the row */
function asKept({ before, after }: RowChange, writer: string): Stored {
  const text = JSON.stringify({ ...after, version: (before?.version ?? 0) + 1, writer });
  if (Buffer.byteLength(text) > mostRowBytes)
    throw new Error(`Item size has exceeded the maximum allowed size (${after.pk})`);
  return JSON.parse(text);
}

/** Of what JSON holds: structuredClone takes several times as long, and is most of what plans and simulations do. */
function copyOf<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((one: unknown) => copyOf(one)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  // A field may be called __proto__: it is there before it is written.
  const copy = { ...value } as Record<string, unknown>;
  for (const [name, inner] of Object.entries(copy)) if (typeof inner === 'object') copy[name] = copyOf(inner);
  return copy as Value;
}

function orderOf(row: Stored): string {
  return `${row.openSince ?? ''}#${row.pk}`;
}
