import { expect, test } from 'vitest';
import { createExpiryWatch } from '#functions/_gateway/gateway-access.ts';

const dayMs = 86_400_000;

function createBench() {
  const lines: { readonly level: string; readonly sentence: string }[] = [];
  const counted: [string, number][] = [];
  const state = { nowMs: Date.parse('2026-11-20T12:00:00Z') };
  const at = (level: string) => (_event: string, sentence: string) => void lines.push({ level, sentence });
  const watch = createExpiryWatch({
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    count: (metric, value) => void counted.push([metric, value]),
    now: () => new Date(state.nowMs),
  });
  const inDays = (days: number) => new Date(state.nowMs + days * dayMs).toISOString();
  return { watch, lines, counted, state, inDays };
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
  const { watch, lines, counted } = createBench();

  watch('next spring');

  expect(lines).toMatchObject([{ level: 'warn', sentence: expect.stringContaining('RFC 3339') }]);
  expect(counted).toEqual([]);
});
