import { expect, test } from 'vitest';
import { stepMs } from '../../chaos/pass-time.ts';

const minuteMs = 60_000;

test('the clock of a chaos run moves to the next message, by two minutes at least and an hour at most', () => {
  expect(stepMs(30 * 1000, 0)).toBe(2 * minuteMs);
  expect(stepMs(20 * minuteMs, 0)).toBe(20 * minuteMs);
  expect(stepMs(12 * 60 * minuteMs, 0)).toBe(60 * minuteMs);
});

test('twelve hours of reading a start in doubt pass in 31 moves', () => {
  let [passedMs, moves] = [0, 0];
  while (passedMs < 12 * 60 * minuteMs) {
    passedMs += stepMs(minuteMs, moves);
    moves += 1;
  }

  expect(moves).toBe(31);
});

test('half an hour without a write at the gateway passes in steps that do not grow', () => {
  expect(Array.from({ length: 16 }, (_, moves) => stepMs(minuteMs, moves))).toEqual(Array(16).fill(2 * minuteMs));
  expect(stepMs(minuteMs, 16)).toBe(4 * minuteMs);
});
