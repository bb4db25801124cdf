import { checkChangedOnce, type Ledger, type RowChange, type Stored } from '#shared/ledger/ledger.ts';

/**
 * The operations on several rows, made of those on one: for fakes that hold their rows in this
 * process and never let another writer in between.
 * @example const one = { read, write }; return { ...one, ...rowsAtOnce(one), listOpen };
 */
export function rowsAtOnce(ledger: Pick<Ledger, 'read' | 'write'>): Pick<Ledger, 'readMany' | 'writeAll'> {
  async function isUnchanged({ before, after }: RowChange): Promise<boolean> {
    const current = await ledger.read(after.pk);
    return current?.version === before?.version && current?.writer === before?.writer;
  }

  return {
    async readMany(pks) {
      const rows = new Map<string, Stored>();
      for (const pk of pks) {
        const row = await ledger.read(pk);
        if (row !== undefined) rows.set(pk, row);
      }
      return rows;
    },
    async writeAll(changes) {
      checkChangedOnce(changes);
      for (const change of changes) if (!(await isUnchanged(change))) return 'row-changed';
      const stored: Stored[] = [];
      for (const { before, after } of changes) {
        const row = await ledger.write(before, after);
        if (row === undefined) throw new Error(`${after.pk} was written while a transaction was under way`);
        stored.push(row);
      }
      return stored;
    },
  };
}
