import { expect, test } from 'vitest';
import { stepMs } from '../../chaos/pass-time.ts';

const minuteMs = 60_000;

test('the clock of a chaos run moves to the next message, by two minutes at least and an hour at most', () => {
  expect(stepMs(30 * 1000, 0)).toBe(2 * minuteMs);
  expect(stepMs(20 * minuteMs, 0)).toBe(20 * minuteMs);
  expect(stepMs(12 * 60 * minuteMs, 0)).toBe(60 * minuteMs);
});

test('twelve hours of reading a start in doubt pass in less than twenty moves', () => {
  let [passedMs, moves] = [0, 0];
  while (passedMs < 12 * 60 * minuteMs) {
    passedMs += stepMs(minuteMs, moves);
    moves += 1;
  }

  expect(moves).toBeLessThan(20);
});
