import type { Prepare } from '../measure/subject.ts';
import { createFileLedger } from './file-ledger.ts';
import { createPoll } from './poll.ts';

/**
 * The three kinds of poll, one after the other, with their rows outside of this process: a first
 * look, the usual one, one that compares.
 */
export const prepare: Prepare = async ({ origin, pages = 1000 }) => {
  const ledger = createFileLedger();
  const changesAt = async (where: string) => createPoll({ origin: where, pages, ledger })();
  return {
    async run() {
      const found = [await changesAt(origin), await changesAt(origin), await changesAt(`${origin}/edition-1`)];
      if (found.join() !== [0, 0, pages].join()) throw new Error(`found ${found.join()} changes on ${pages} pages`);
    },
  };
};
