import { describe, expect, test } from 'vitest';
import {
  freeIds,
  isFreeId,
  isUsed,
  newRunRow,
  type RunRow,
  withReturned,
  withUsed,
} from '#shared/ledger/rows/run-row.ts';

const row = newRunRow('nightly');
const configured = ['a', 'b'];

/** DynamoDB takes no larger item. */
const mostBytes = 400 * 1024;

describe('the ids of a run', () => {
  test('are used in the order of the configuration, then those that were bound, each once', () => {
    const bound = { ...row, bound: ['c', 'b'] };

    expect(freeIds(undefined, configured)).toEqual(['a', 'b']);
    expect(freeIds(bound, configured)).toEqual(['a', 'b', 'c']);
    expect(freeIds(withUsed(bound, 'a'), configured)).toEqual(['b', 'c']);
  });

  test('are used once, however often their start is tried', () => {
    const once = withUsed(row, 'a');

    expect(isUsed(once, 'a')).toBe(true);
    expect(withUsed(once, 'a').used).toEqual(once.used);
  });

  test('are bound no longer once they are used, so that the row does not grow by both', () => {
    expect(withUsed({ ...row, bound: ['c', 'd'] }, 'c').bound).toEqual(['d']);
  });

  test('are free again once their start is proven not applied, bound ones first', () => {
    const used = withUsed(withUsed({ ...row, bound: ['c', 'd'] }, 'c'), 'a');

    const returned = withReturned(withReturned(used, 'a', configured), 'c', configured);

    expect(freeIds(returned, configured)).toEqual(['a', 'b', 'c', 'd']);
    expect(returned.used).toEqual([]);
  });
});

test.each([
  ['has no row', undefined, true],
  ['was given back', {}, true],
  ['has a start', { startId: 'start-1' }, false],
  [
    'was stopped before any start',
    { end: { by: 'stop-1', how: 'ordered', at: '2026-11-20T22:00:00.000Z' } as const },
    false,
  ],
  ['began without a start', { begunElsewhere: '2026-11-20T22:02:00.000Z' }, false],
])('an id that %s is free: %o, %s', (_name, idRow, expected) => {
  expect(isFreeId(idRow)).toBe(expected);
});

const uuid = (index: number) => `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** A row after so many starts, each of another id. */
function afterStarts(count: number): RunRow {
  const [use = ''] = withUsed(row, uuid(0)).used;
  const used = Array.from({ length: count }, (_, index) => String(index).padStart(use.length, 'x'));
  return { ...row, used, latest: { id: 'x'.repeat(200), issuedAt: '2026-11-20T22:00:00.000Z' } };
}

// DynamoDB counts one byte beside each element of a list; its JSON has two quotes and a comma.
test.each([
  ['25,000 starts', afterStarts(25_000)],
  [
    '6,000 starts, with 6,000 ids that operators bound',
    { ...afterStarts(6000), bound: Array.from({ length: 6000 }, (_, index) => uuid(index)) },
  ],
])('[E27] the row of a run after %s is below the limit', (_what, full) => {
  expect(Buffer.byteLength(JSON.stringify(full))).toBeLessThan(mostBytes);
});
