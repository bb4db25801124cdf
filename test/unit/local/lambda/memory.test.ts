import { expect, test } from 'vitest';
import { heapOptions } from '#local/lambda/function-process.ts';
import { watchMemory } from '#local/lambda/process-output.ts';
import { isLinux } from '../../../faults/bench/is-linux.ts';

test.each([
  [512, ['--max-semi-space-size=25', '--max-old-space-size=461']],
  [128, ['--max-semi-space-size=6', '--max-old-space-size=116']],
])('a function of %i MB gets the heap that Lambda would give it', (memoryMb, options) => {
  expect(heapOptions({ memoryMb })).toEqual(options);
});

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
