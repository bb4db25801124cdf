import { readFileSync, writeFileSync } from 'node:fs';
import type { Stored } from '../../../shared/ledger/ledger.ts';
import type { Prepare } from '../measure/subject.ts';
import { createPlainLedger } from './plain-ledger.ts';
import { createPoll } from './poll.ts';

/** A first look at a listing, whose rows it leaves in a file: for polls that know the listing, in processes that have not seen it. */
export const prepare: Prepare = async ({ origin, pages = 1000, rows: file = '' }) => {
  const rows = new Map<string, Stored>();
  const poll = createPoll({ origin, pages, ledger: createPlainLedger(rows) });
  return {
    async run() {
      await poll();
      writeFileSync(file, JSON.stringify([...rows.values()]));
    },
  };
};

/** The rows in such a file, by key. */
export function firstLookRows(file = ''): Map<string, Stored> {
  const rows = JSON.parse(readFileSync(file, 'utf8')) as readonly Stored[];
  return new Map(rows.map((row) => [row.pk, row]));
}
