import { expect, test } from 'vitest';
import { createExpiryWatch } from '#functions/_gateway/gateway-access.ts';
import { keptOutput } from '../../../builders/ports.ts';

const dayMs = 86_400_000;

function createBench() {
  const { lines, counted, log, count } = keptOutput();
  const state = { nowMs: Date.parse('2026-11-20T12:00:00Z') };
  const watch = createExpiryWatch({ log, count, now: () => new Date(state.nowMs) });
  const inDays = (days: number) => new Date(state.nowMs + days * dayMs).toISOString();
  return { watch, lines, counts: () => counted('TokenDaysLeft'), state, inDays };
}

test.each([
  [15, []],
  [14, [14]],
  [3.5, [3]],
  [-2, [0]],
])('a token with %d days left counts %j', (days, counted) => {
  const { watch, counts, inDays } = createBench();

  watch(inDays(days));

  expect(counts()).toEqual(counted);
});

test('warns once a day, however often the token is used, and is an error once it has expired', () => {
  const { watch, lines, state, inDays } = createBench();
  const expiresAt = inDays(1.5);

  for (let hour = 0; hour < 72; hour += 1) {
    watch(expiresAt);
    state.nowMs += 3_600_000;
  }

  expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'error', 'error']);
  expect(lines[0]?.sentence).toBe(`the token of the gateway expires at ${expiresAt}`);
});

test('says that a date cannot be read, and counts nothing', () => {
  const { watch, lines, counts } = createBench();

  watch('next spring');

  expect(lines).toMatchObject([{ level: 'warn', sentence: expect.stringContaining('RFC 3339') }]);
  expect(counts()).toEqual([]);
});
