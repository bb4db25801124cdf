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

test('turns that passed while a batch ended are made up for, those of a longer pause are gone', async () => {
  let nowMs = 0;
  const sentMs: number[] = [];
  const pace = createPacer(20, {
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  });
  const send = async (times: number) => {
    for (let sent = 0; sent < times; sent += 1) {
      await pace();
      sentMs.push(nowMs);
    }
  };

  await send(2);
  nowMs = 190;
  await send(4);
  nowMs = 5000;
  await send(5);

  expect(sentMs).toEqual([0, 50, 190, 190, 200, 250, 5000, 5000, 5000, 5000, 5050]);
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
