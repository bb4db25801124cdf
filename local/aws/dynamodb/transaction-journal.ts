/**
 * The writes of the transaction under way, in one file beside the tables.
 *
 * It is on the disk before the first of the writes and gone after the last one. A file that is there at a start was left by
 * a kill between them: its writes are done again, all of them, before anything is answered.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asList, asObject, asText, parseJsonObject } from '../../template/json.ts';
import type { PlainWrite } from './rehearsal.ts';

/** The journal of one data folder. */
export interface TransactionJournal {
  /** Stores the writes; they are on the disk when it returns. */
  begin(writes: readonly PlainWrite[]): void;
  /** Says that all of them were done. */
  end(): void;
  /** The writes that a kill cut off, or none. */
  unfinished(): readonly PlainWrite[];
}

/** Opens the journal kept in `dataDir`. */
export function openTransactionJournal(dataDir: string): TransactionJournal {
  const path = join(dataDir, 'dynamodb-transaction.json');
  return {
    begin(writes) {
      // Moved into place whole: a kill while it is written leaves no journal, and no write was made.
      const draft = `${path}.new`;
      const file = openSync(draft, 'w', 0o600);
      try {
        writeFileSync(file, JSON.stringify({ writes }));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
      syncFolder(dirname(path));
    },
    end: () => rmSync(path),
    unfinished() {
      if (!existsSync(path)) return [];
      const { writes } = parseJsonObject(readFileSync(path, 'utf8'), path);
      return asList(writes).map((value) => {
        const { operation, input } = asObject(value);
        const name = asText(operation);
        if (name !== 'PutItem' && name !== 'DeleteItem') throw new Error(`${path} holds an unknown write ${name}`);
        return { operation: name, input: asObject(input) };
      });
    },
  };
}

/** A new name is durable once its folder is. Windows cannot open folders, and needs no such step. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
