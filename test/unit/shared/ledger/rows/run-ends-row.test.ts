import { expect, test } from 'vitest';
import { changesWithin, withChange, withDigest } from '#shared/ledger/results/changes-row.ts';
import {
  lowScore,
  medianBefore,
  type RunEnd,
  runEnd,
  type RunEndsRow,
  withRunEnd,
} from '#shared/ledger/results/run-ends-row.ts';

const night = (number: number, score?: number, state: RunEnd['state'] = 'complete'): RunEnd => ({
  startId: `start-${number}`,
  campaignRunId: `run-${number}`,
  startAt: new Date(Date.UTC(2026, 10, number, 22)).toISOString(),
  at: new Date(Date.UTC(2026, 10, number, 23)).toISOString(),
  state,
  score,
});
const rowOf = (...ends: readonly RunEnd[]) =>
  ends.reduce<RunEndsRow | undefined>((row, end) => withRunEnd(row, 'nightly', end), undefined);

const line = (number: number) => ({ id: `set-${number}`, at: night(number).at, says: `change ${number}` });

test.each([
  ['below its limit', [87, 87], 61, { limits: { atLeast: 80 }, low: { score: 61, atLeast: 80 } }],
  ['below its limit, as the first', [], 61, { limits: { atLeast: 80, mayFallBy: 5 }, low: { score: 61, atLeast: 80 } }],
  [
    'further below the median than it may be',
    [87, 90, 84],
    81,
    { limits: { mayFallBy: 5 }, low: { score: 81, median: 87 } },
  ],
  ['as far below the median as it may be', [87, 90, 84], 82, { limits: { mayFallBy: 5 }, low: undefined }],
  ['below the one complete run before it', [87], 61, { limits: { mayFallBy: 5 }, low: undefined }],
  ['high', [87, 87], 88, { limits: { atLeast: 80, mayFallBy: 5 }, low: undefined }],
  ['without limits', [87, 87], 1, { limits: {}, low: undefined }],
])('a score that is %s is judged so', (_, before, score, { limits, low }) => {
  const row = rowOf(...before.map((one, index) => night(index + 1, one)));

  const judged = lowScore(night(20, score), row, limits);

  expect({ ...judged }).toMatchObject({ ...low });
  expect(judged === undefined).toBe(low === undefined);
});

test('a run that failed or was stopped, or has no score, is no point: it is low never, and compares nothing', () => {
  const row = rowOf(night(1, 87), night(2, 5, 'failed'), night(3, 5, 'stopped'), night(4), night(5, 89));

  expect(row?.ends.map(({ state }) => state)).toEqual(['complete', 'complete', 'stopped', 'failed', 'complete']);
  expect(medianBefore(row?.ends ?? [], night(6, 61))).toBe(88);
  expect(lowScore(night(6, 5, 'failed'), row, { atLeast: 80 })).toBeUndefined();
  expect(lowScore(night(6), row, { atLeast: 80 })).toBeUndefined();
});

test('thirty ends and five complete ones are kept, each start once, and failures push no complete one out', () => {
  const good = Array.from({ length: 6 }, (_, index) => night(index + 1, 80 + index));
  const bad = Array.from({ length: 40 }, (_, index) => night(index + 7, undefined, 'failed'));
  const row = rowOf(...good, ...bad, ...bad);

  expect(row?.ends).toHaveLength(30);
  expect(row?.complete.map(({ score }) => score)).toEqual([85, 84, 83, 82, 81]);
});

test('a run whose provider failed is a failed one, though it is complete', () => {
  const provider = { name: 'acme', errors: 40, prompts: 40, failed: true };
  const shown = { status: 'complete', at: '2026-11-01T23:00:00Z', score: 87, providers: [provider] } as const;

  expect(runEnd(night(1), shown)).toMatchObject({ state: 'failed' });
});

test('the changes of a watch are kept once, the last fifty, and those within a time are told in their order', () => {
  const all = [...Array.from({ length: 60 }, (_, index) => line(index + 1)), line(60)];
  const row = all.reduce<ReturnType<typeof withChange> | undefined>(
    (before, one) => withChange(before, 'vendor', one),
    undefined,
  );

  expect(row?.lines).toHaveLength(50);
  const within = changesWithin([row, undefined], { from: line(58).at, until: line(60).at });
  expect(within.map(({ says, watch }) => `${watch}: ${says}`)).toEqual(['vendor: change 59', 'vendor: change 60']);
});

test('the configuration of a stage is a change from the second one on', () => {
  const first = withDigest(undefined, 'a', night(1).at);

  expect(first?.lines).toEqual([]);
  expect(withDigest(first, 'a', night(2).at)).toBeUndefined();
  expect(withDigest(first, 'b', night(2).at)?.lines).toMatchObject([{ at: night(2).at }]);
});
