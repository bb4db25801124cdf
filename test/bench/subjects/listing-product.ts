import type { Prepare } from '../measure/subject.ts';
import { createFileLedger } from './file-ledger.ts';
import { createPoll } from './poll.ts';

/** The usual poll: nothing has changed since an earlier one, which another process made. */
export const prepare: Prepare = async ({ origin, pages = 1000, rows }) => {
  const poll = createPoll({ origin, pages, ledger: createFileLedger(rows) });
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) {
        const changes = await poll();
        if (changes > 0) throw new Error(`${changes} changes of a listing that has none`);
      }
    },
  };
};
