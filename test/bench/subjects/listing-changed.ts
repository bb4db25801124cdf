import type { Prepare } from '../measure/subject.ts';
import { rowsOfFile } from './file-ledger.ts';
import { createPlainLedger } from './plain-ledger.ts';
import { createPoll } from './poll.ts';

/** A poll that finds one package of each page changed, so that no page is as it was. */
export const prepare: Prepare = async ({ origin, pages = 1000, rows = '' }) => {
  const ledger = createPlainLedger(rowsOfFile(rows));
  let edition = 0;
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) {
        edition += 1;
        const changes = await createPoll({ origin: `${origin}/edition-${edition}`, pages, ledger })();
        if (changes !== pages) throw new Error(`${changes} changes on ${pages} pages`);
      }
    },
  };
};
