import { expect, test } from 'vitest';
import { watchMemory } from '#local/lambda/process-output.ts';
import { isLinux } from '../../../faults/bench/is-linux.ts';

test.runIf(isLinux)('a process above its limit is named once, while it still works', async () => {
  const excess = Promise.withResolvers<void>();
  let times = 0;
  const watch = watchMemory(process.pid, 1, () => {
    times += 1;
    excess.resolve();
  });

  await excess.promise;

  expect(watch.end()).toBeGreaterThan(1);
  expect(times).toBe(1);
});

test.runIf(isLinux)('a process within its limit is left alone, and one that is not there has no peak', () => {
  const watch = watchMemory(process.pid, 1_000_000, () => expect.unreachable());
  const ofNone = watchMemory(undefined, 1, () => expect.unreachable());

  expect([watch.end() === undefined, ofNone.end()]).toEqual([false, undefined]);
});
