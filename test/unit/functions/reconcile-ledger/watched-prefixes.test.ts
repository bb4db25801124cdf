import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAskDue } from '#functions/reconcile-ledger/tick.ts';
import { rootsOf, sinceByPrefix, sinceOf } from '#functions/reconcile-ledger/watched-prefixes.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const hourMs = 60 * 60_000;

test('at looks of any rhythm, silence is asked for once when its patience is over and at most once in six hours', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12 * hourMs }),
      fc.array(fc.integer({ min: 1, max: 9 * hourMs }), { minLength: 1, maxLength: 60 }),
      (patienceMs, gapsMs) => {
        const since = new Date('2026-11-20T10:00:00.000Z');
        let last: Date | undefined;
        let asked = 0;
        for (const gapMs of gapsMs) {
          const now = new Date((last ?? since).getTime() + gapMs);
          if (isAskDue({ since, patienceMs }, last?.toISOString(), now)) asked += 1;
          last = now;
        }

        const impatientMs = (last ?? since).getTime() - since.getTime() - patienceMs;
        const turns = impatientMs < 0 ? 0 : 1 + Math.floor(impatientMs / (6 * hourMs));
        expect(asked).toBeLessThanOrEqual(turns);
        expect(asked > 0).toBe(turns > 0);
      },
    ),
    propertyRuns(),
  );
});

const now = new Date('2026-11-20T10:00:00.000Z');

test('a prefix keeps the instant at which it or a wider one was first seen; a configured one goes before it', () => {
  const seen = { 'datasets/': '2026-01-01T00:00:00.000Z', 'datasets/gone/': '2026-02-01T00:00:00.000Z' };

  const scope = sinceByPrefix(
    [
      { prefix: 'datasets/' },
      { prefix: 'datasets/new/' },
      { prefix: 'other/' },
      { prefix: 'datasets/old/', since: '2025-06-01T00:00:00.000Z' },
    ],
    seen,
    now,
  );

  expect(scope).toEqual({
    'datasets/': '2026-01-01T00:00:00.000Z',
    'datasets/new/': '2026-01-01T00:00:00.000Z',
    'other/': now.toISOString(),
    'datasets/old/': '2025-06-01T00:00:00.000Z',
  });
});

test('nested prefixes are listed once, and each key belongs to the longest that it has', () => {
  const scope = { 'datasets/a/': 'A', 'datasets/a/b/': 'AB', 'datasets/ab/': 'B', 'other/': 'P' };

  expect(rootsOf(scope)).toEqual(['datasets/a/', 'datasets/ab/', 'other/']);
  expect(['datasets/a/x', 'datasets/a/b/x', 'datasets/ab/x', 'datasets/x'].map((key) => sinceOf(scope, key))).toEqual([
    'A',
    'AB',
    'B',
    undefined,
  ]);
});
