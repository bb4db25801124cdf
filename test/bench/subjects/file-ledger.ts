import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { rowsAtOnce } from '../../builders/rows-at-once.ts';

/**
 * A ledger whose rows lie in a file, as a table lies somewhere else. What a worker remembers of
 * them is its own memory, and what its engine collects is its own garbage.
 * @param file - made if it is not there, and left. @default one that is gone with the process
 */
export function createFileLedger(file = temporaryFile()): Ledger {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS rows (pk TEXT PRIMARY KEY, version INTEGER, text TEXT) WITHOUT ROWID',
  );
  const select = database.prepare('SELECT version, text FROM rows WHERE pk = ?');
  const selectVersion = database.prepare('SELECT version FROM rows WHERE pk = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?, ?)');

  const one: Pick<Ledger, 'read' | 'write'> = {
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      const row = select.get(pk);
      // A key holds rows of its own kind alone.
      return row === undefined ? undefined : (JSON.parse(String(row['text'])) as Stored<Row>);
    },
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      if (selectVersion.get(after.pk)?.['version'] !== before?.version) return undefined;
      const stored = { ...after, version: (before?.version ?? 0) + 1, writer: 'bench' };
      upsert.run(after.pk, stored.version, JSON.stringify(stored));
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

/** All rows of such a file, by key. */
export function rowsOfFile(file: string): Map<string, Stored> {
  using database = new DatabaseSync(file, { readOnly: true });
  const texts = database.prepare('SELECT text FROM rows').iterate();
  return new Map(
    [...texts].map(({ text }) => {
      const row = JSON.parse(String(text)) as Stored;
      return [row.pk, row];
    }),
  );
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot-bench-ledger-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'ledger.sqlite');
}
