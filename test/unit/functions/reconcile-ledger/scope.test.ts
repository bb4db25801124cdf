import { expect, test } from 'vitest';
import { queueOf, rootsOf, sinceByPrefix, sinceOf } from '#functions/reconcile-ledger/scope.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

test('a prefix keeps the instant at which it was first seen, and one that is configured goes before it', () => {
  const seen = { 'datasets/': '2026-01-01T00:00:00.000Z', 'datasets/gone/': '2026-02-01T00:00:00.000Z' };

  const scope = sinceByPrefix(
    [
      { prefix: 'datasets/' },
      { prefix: 'datasets/new/' },
      { prefix: 'datasets/old/', since: '2025-06-01T00:00:00.000Z' },
    ],
    seen,
    now,
  );

  expect(scope).toEqual({
    'datasets/': '2026-01-01T00:00:00.000Z',
    'datasets/new/': now.toISOString(),
    'datasets/old/': '2025-06-01T00:00:00.000Z',
  });
});

test('nested prefixes are listed once, and each key belongs to the longest that it has', () => {
  const scope = { 'datasets/a/': 'A', 'datasets/a/b/': 'AB', 'datasets/ab/': 'B', 'run-plans/': 'P' };

  expect(rootsOf(scope)).toEqual(['datasets/a/', 'datasets/ab/', 'run-plans/']);
  expect(['datasets/a/x', 'datasets/a/b/x', 'datasets/ab/x', 'datasets/x'].map((key) => sinceOf(scope, key))).toEqual([
    'A',
    'AB',
    'B',
    undefined,
  ]);
});

test('a key goes to the queue that its prefix is announced to', () => {
  expect(['datasets/run-plans/x.csv', 'run-plans/datasets/x.json'].map(queueOf)).toEqual(['uploads', 'plans']);
});
