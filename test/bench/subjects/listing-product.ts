import type { Prepare } from '../measure/subject.ts';
import { createPlainLedger } from './plain-ledger.ts';
import { createPoll } from './poll.ts';

/** The product's poll; the first one is its baseline, every later one compares. */
export const prepare: Prepare = async ({ origin, pages = 1000 }) => {
  const poll = createPoll(origin, pages, createPlainLedger());
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) await poll();
    },
  };
};
