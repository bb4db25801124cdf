import { describe, expect, test } from 'vitest';
import {
  freeIds,
  isUsed,
  newRunIdPool,
  type RunIdPoolRow,
  withLive,
  withoutLive,
  withRefused,
  withReturned,
  withUsed,
} from '#shared/ledger/rows/run-id-pool-row.ts';

const pool = newRunIdPool('nightly');
const configured = ['a', 'b'];

/** DynamoDB takes no larger item. */
const mostBytes = 400 * 1024;

describe('the ids of a run', () => {
  test('are used in the order of the configuration, then those that were added, each once', () => {
    const added = { ...pool, added: ['c', 'b'] };

    expect(freeIds(undefined, configured)).toEqual(['a', 'b']);
    expect(freeIds(added, configured)).toEqual(['a', 'b', 'c']);
    expect(freeIds(withUsed(added, 'a', 'start'), configured)).toEqual(['b', 'c']);
  });

  test('are free again if the gateway started nothing with them, and only by the start that used them', () => {
    const used = withUsed(pool, 'a', 'start');

    expect(freeIds(withReturned(used, 'a', 'start'), configured)).toEqual(['a', 'b']);
    expect(freeIds(withReturned(used, 'a', 'another start'), configured)).toEqual(['b']);
  });

  test('stay used if the gateway refused them for good', () => {
    const refused = withRefused(withUsed(pool, 'a', 'start'), 'a', 'start');

    expect(isUsed(refused, 'a')).toBe(true);
    expect(freeIds(refused, configured)).toEqual(['b']);
    expect(refused.live).toEqual([]);
  });

  test('are live from their start to their stop, the latest last', () => {
    const both = withUsed(withUsed(pool, 'a', 'first'), 'b', 'second');

    expect(both).toMatchObject({ live: ['a', 'b'], lastUsed: 'b' });
    expect(withLive(both, 'a').live).toEqual(['b', 'a']);
    expect(withoutLive(both, 'b').live).toEqual(['a']);
    expect(freeIds(withoutLive(both, 'b'), configured)).toEqual([]);
  });

  test('are used once, however often their start is tried', () => {
    const once = withUsed(pool, 'a', 'start');

    expect(withUsed(once, 'a', 'start').used).toEqual(once.used);
  });
});

const uuid = (index: number) => `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/**
 * A pool after so many starts, each of another id and each refused for good: the longest text that
 * a use can have.
 */
function afterStarts(count: number): RunIdPoolRow {
  const [use = ''] = withRefused(withUsed(pool, uuid(0), 'start'), uuid(0), 'start').used;
  const used = Array.from({ length: count }, (_, index) => String(index).padStart(use.length, 'x'));
  const latestStop = { id: 'x'.repeat(200), issuedAt: '2026-11-20T22:00:00.000Z' };
  return { ...pool, used, live: [uuid(count)], lastUsed: uuid(count), latestStop };
}

// DynamoDB counts one byte beside each element of a list; its JSON has two quotes and a comma.
test.each([
  ['14,000 starts of configured ids', afterStarts(14_000)],
  [
    '6,000 starts of ids that operators added',
    { ...afterStarts(6000), added: Array.from({ length: 6000 }, (_, index) => uuid(index)) },
  ],
])('the row of a pool after %s is below the limit', (_what, row) => {
  expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThan(mostBytes);
});
