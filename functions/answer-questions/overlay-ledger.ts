import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';

/**
 * A ledger over another one: what is not written yet is read there, once, and what is written stays in memory. Writes are conditional as everywhere,
 * and later reads and listings see them. The ledger below has no way to be written.
 * @example const ledger = createOverlayLedger(createDynamoDbLedger({ client, tableName }));
 */
export function createOverlayLedger(below: Pick<Ledger, 'readMany' | 'listOpen'>): Ledger {
  const rows = new Map<string, Stored>();
  const memory = createMemoryLedger(rows);
  const known = new Set<string>();
  const listed = new Set<string>();

  async function copy(pks: readonly string[]): Promise<void> {
    const missing = [...new Set(pks)].filter((pk) => !known.has(pk));
    if (missing.length === 0) return;
    const found = await below.readMany(missing);
    for (const pk of missing) {
      const row = known.has(pk) ? undefined : found.get(pk);
      known.add(pk);
      if (row !== undefined) rows.set(pk, row);
    }
  }

  return {
    async read(pk) {
      await copy([pk]);
      return memory.read(pk);
    },
    async readMany(pks) {
      await copy(pks);
      return memory.readMany(pks);
    },
    async write(before, after) {
      await copy([after.pk]);
      return memory.write(before, after);
    },
    async writeAll(changes) {
      await copy(changes.map(({ after }) => after.pk));
      return memory.writeAll(changes);
    },
    async listOpen(state, range) {
      if (!listed.has(state)) {
        listed.add(state);
        // The index is a moment old: its rows are read by key.
        const found: string[] = [];
        for await (const { pk } of openRows(below, state)) found.push(pk);
        await copy(found);
      }
      return memory.listOpen(state, range);
    },
  };
}
