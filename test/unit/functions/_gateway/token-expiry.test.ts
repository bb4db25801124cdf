import { expect, test } from 'vitest';
import { warnOfExpiry } from '#functions/_gateway/gateway-access.ts';
import { keptOutput } from '../../../builders/ports.ts';

const dayMs = 86_400_000;

function createBench() {
  const { lines, counted, log, count } = keptOutput();
  const nowMs = Date.parse('2026-11-20T12:00:00Z');
  const watch = (expiresAt: string) => warnOfExpiry(expiresAt, { log, count, now: () => new Date(nowMs) });
  const inDays = (days: number) => new Date(nowMs + days * dayMs).toISOString();
  return { watch, lines, counts: () => counted('TokenDaysLeft'), inDays };
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

test('warns of a token that expires, and is an error once it has expired', () => {
  const { watch, lines, inDays } = createBench();

  for (const days of [1.5, -0.5]) watch(inDays(days));

  expect(lines.map(({ level }) => level)).toEqual(['warn', 'error']);
  expect(lines[0]?.sentence).toBe(`the token of the gateway expires at ${inDays(1.5)}`);
});

test('says that a date cannot be read, and counts nothing', () => {
  const { watch, lines, counts } = createBench();

  watch('next spring');

  expect(lines).toMatchObject([{ level: 'warn', sentence: expect.stringContaining('RFC 3339') }]);
  expect(counts()).toEqual([]);
});
