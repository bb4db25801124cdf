import type { Prepare } from '../measure/subject.ts';
import { createFileLedger } from './file-ledger.ts';
import { createPoll } from './poll.ts';

/** The product's poll with its rows outside of this process. */
export const prepare: Prepare = async ({ origin, pages = 1000 }) => {
  const poll = createPoll(origin, pages, createFileLedger());
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) await poll();
    },
  };
};
