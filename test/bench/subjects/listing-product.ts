import type { Prepare } from '../measure/subject.ts';
import { firstLookRows } from './first-look-rows.ts';
import { createPlainLedger } from './plain-ledger.ts';
import { createPoll } from './poll.ts';

/** The usual poll: nothing has changed since an earlier one, which another process made. */
export const prepare: Prepare = async ({ origin, pages = 1000, rows }) => {
  const poll = createPoll({ origin, pages, ledger: createPlainLedger(firstLookRows(rows)) });
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) {
        const changes = await poll();
        if (changes > 0) throw new Error(`${changes} changes of a listing that has none`);
      }
    },
  };
};
