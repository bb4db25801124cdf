import { expect, test } from 'vitest';
import { deployProduct, drain } from '../../bench/drain/drain.ts';

// The virtual function ends an invocation at its timeout: its uploads would come late, or twice.
test.each([100, 0.1])(
  '[F15] our own worker does each upload once, at that rate: %s a second',
  async (requestsPerSecond) => {
    const options = { messages: 20, requestsPerSecond, seed: 1 };

    const drained = await drain(options, (world) => deployProduct(world, { requestsPerSecond }));

    expect(drained).toMatchObject({ done: 20, doneTwice: 0, deadLetters: 0, astray: 0 });
    expect(drained.ratio).toBeLessThan(3);
  },
);
