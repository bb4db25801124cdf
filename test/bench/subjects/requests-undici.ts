import type { Prepare } from '../measure/subject.ts';
import { prepare as prepareOne } from './client/client-undici.ts';

/** As many bare requests as a record makes, to the gateway and to AWS together. */
export const prepare: Prepare = async (input) => {
  const { requests = 1 } = input;
  const { run } = await prepareOne(input);
  return { run: async (times) => run(Math.round(times * requests)) };
};
