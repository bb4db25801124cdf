import { expect, test } from 'vitest';
import { createPacer } from '../../../../functions/_runtime/pacer.ts';

test('spaces requests at the rate, the first one at once', async () => {
  let nowMs = 1000;
  const waits: number[] = [];
  const pace = createPacer(2, {
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
  });

  await pace();
  await pace();
  nowMs += 200;
  await pace();
  nowMs += 5000;
  await pace();

  expect(waits).toEqual([500, 300]);
});

test('callers at the same time share the rate', async () => {
  const waits: number[] = [];
  const pace = createPacer(10, {
    monotonicMs: () => 0,
    sleep: async (ms) => {
      waits.push(ms);
    },
  });

  await Promise.all([pace(), pace(), pace()]);

  expect(waits).toEqual([100, 200]);
});
