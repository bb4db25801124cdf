import { expect, test } from 'vitest';
import { warnOfExpiry } from '#functions/_gateway/gateway-access.ts';

const dayMs = 86_400_000;

function createBench() {
  const lines: { readonly level: string; readonly sentence: string }[] = [];
  const counted: [string, number][] = [];
  const nowMs = Date.parse('2026-11-20T12:00:00Z');
  const at = (level: string) => (_event: string, sentence: string) => void lines.push({ level, sentence });
  const deps = {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    count: (metric: string, value: number) => void counted.push([metric, value]),
    now: () => new Date(nowMs),
  };
  const inDays = (days: number) => new Date(nowMs + days * dayMs).toISOString();
  return { watch: (expiresAt: string) => warnOfExpiry(expiresAt, deps), lines, counted, inDays };
}

test.each([
  [15, []],
  [14, [['TokenDaysLeft', 14]]],
  [3.5, [['TokenDaysLeft', 3]]],
  [-2, [['TokenDaysLeft', 0]]],
])('a token with %d days left counts %j', (days, counts) => {
  const { watch, counted, inDays } = createBench();

  watch(inDays(days));

  expect(counted).toEqual(counts);
});

test('warns of a token that expires, and is an error once it has expired', () => {
  const { watch, lines, inDays } = createBench();

  for (const days of [1.5, -0.5]) watch(inDays(days));

  expect(lines.map(({ level }) => level)).toEqual(['warn', 'error']);
  expect(lines[0]?.sentence).toBe(`the token of the gateway expires at ${inDays(1.5)}`);
});

test('says that a date cannot be read, and counts nothing', () => {
  const { watch, lines, counted } = createBench();

  watch('next spring');

  expect(lines).toMatchObject([{ level: 'warn', sentence: expect.stringContaining('RFC 3339') }]);
  expect(counted).toEqual([]);
});
