import type { Prepare } from '../measure/subject.ts';
import { createPlainLedger } from './plain-ledger.ts';
import { createPoll } from './poll.ts';

/** A first look: nothing is known, every package becomes a fingerprint and a part of a row. */
export const prepare: Prepare = async ({ origin, pages = 1000 }) => ({
  async run(times) {
    for (let walk = 0; walk < times; walk += 1) await createPoll({ origin, pages, ledger: createPlainLedger() })();
  },
});
