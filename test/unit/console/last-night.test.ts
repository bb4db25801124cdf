import { describe, expect, test } from 'vitest';
import { isFirstMinute, lastNightWords } from '#console/page/now/glance.ts';
import { lastNightAt } from '#console/server/last-night.ts';
import { now } from '../../integration/console/page/facts.ts';

const night = { starts: 3, sent: 3, confirmed: 3, missing: 0, others: [] };
const frozen = [{ ended: 'skipped FROZEN', count: 1 }];

describe('the last night', () => {
  test.each([
    ['without a start', { starts: 0, sent: 0 }, 'nothing was to start.'],
    ['of starts that the gateway has shown', {}, '3 of 3 ran, confirmed.'],
    [
      'with a start that was skipped',
      { sent: 2, confirmed: 2, others: frozen },
      '2 of 3 ran, confirmed, 1 skipped FROZEN.',
    ],
    ['on which all were skipped', { starts: 1, sent: 0, others: frozen }, '0 of 1 started, 1 skipped FROZEN.'],
    [
      'with a start that is not shown',
      { confirmed: 1, missing: 1 },
      '3 of 3 started, 1 confirmed, 1 not shown by the gateway, 1 not confirmed yet.',
    ],
  ])('%s is one sentence', (_what, more, says) => {
    expect(lastNightWords({ ...night, ...more })).toBe(says);
  });

  test.each([
    ['at 03:00 goes on', '2026-12-05T03:00:00Z', '2026-12-05T03:00:00.000Z'],
    ['at 15:00 has ended at noon', '2026-12-05T15:00:00Z', '2026-12-05T12:00:00.000Z'],
  ])('%s', (_what, instant, until) => {
    const { from, until: end } = lastNightAt(new Date(instant), 'UTC');

    expect([from.toISOString(), end.toISOString()]).toEqual(['2026-12-04T12:00:00.000Z', until]);
  });
});

test('a stage on which something has ended is past its first minute', () => {
  const first = { ...now, inFlight: [], pending: [], parked: [], recent: [] };

  expect([isFirstMinute(first), isFirstMinute({ ...first, recent: now.recent })]).toEqual([true, false]);
});
