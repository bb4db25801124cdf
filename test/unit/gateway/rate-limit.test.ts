import { expect, test } from 'vitest';
import { RateLimit } from '#gateway/faults/fault-registry.ts';

test('admits one second’s worth at once, then the rate', () => {
  const limit = new RateLimit(2, 0);

  expect([limit.admits(0), limit.admits(0), limit.admits(0)]).toEqual([true, true, false]);
  expect([limit.admits(499), limit.admits(500), limit.admits(500)]).toEqual([false, true, false]);
});

test('admits one at a time below one a second', () => {
  const limit = new RateLimit(0.5, 0);

  expect([limit.admits(0), limit.admits(1_999), limit.admits(2_000)]).toEqual([true, false, true]);
});

test('saves up no more than one second, and survives a clock that goes back', () => {
  const limit = new RateLimit(1, 0);

  expect(limit.admits(1_000_000)).toBe(true);
  expect(limit.admits(0)).toBe(false);
  expect(limit.admits(1_000)).toBe(true);
});
