import { afterAnyInstant, type AskedLedger, beforeAnyInstant, firstRegistered, type Stored } from './ledger.ts';
import { type LedgerItem, madeDatasetOf } from './items.ts';

/** The ledger in memory: the same answers as DynamoDB, for unit tests and simulations. Items are copied in and out. */
export function createMemoryLedger(): AskedLedger & { readonly all: () => readonly Stored[] } {
  const rows = new Map<string, Stored>();
  let writes = 0;

  return {
    async read<Item extends LedgerItem>(pk: Item['pk']) {
      const row = rows.get(pk);
      return row === undefined ? undefined : (structuredClone(row) as Stored<Item>);
    },

    async write<Item extends LedgerItem>(before: Stored<Item> | undefined, after: Item) {
      const current = rows.get(after.pk);
      if (current?.version !== before?.version || current?.writer !== before?.writer) return undefined;
      writes += 1;
      const stored = { ...structuredClone(after), version: (before?.version ?? 0) + 1, writer: `w${writes}` };
      rows.set(after.pk, stored);
      return structuredClone(stored);
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
      return { items: structuredClone(items), ...(isMore ? { next: orderOf(last) } : {}) };
    },

    async uploadOfDataset(datasetId) {
      const made = [...rows.values()].filter((row) => row.kind === 'upload');
      return structuredClone(firstRegistered(made.filter((row) => madeDatasetOf(row) === datasetId)));
    },

    all: () => [...rows.values()],
  };
}

function orderOf(row: Stored): string {
  return `${row.openSince ?? ''}#${row.pk}`;
}
