import type { Prepare } from '../measure/subject.ts';
import { createFileLedger } from './file-ledger.ts';
import { createPoll } from './poll.ts';

/**
 * A first look at a listing, whose rows it leaves in a file. For polls that know the listing, in
 * processes that have not seen it.
 */
export const prepare: Prepare = async ({ origin, pages = 1000, rows }) => {
  const poll = createPoll({ origin, pages, ledger: createFileLedger(rows) });
  return {
    async run() {
      await poll();
    },
  };
};
