import { expect, test } from 'vitest';
import type { Figure } from '../../bench/bench-row.ts';
import { exitCodeOf, verdictOf } from '../../bench/verdict.ts';

const quiet = { low: 0.97, median: 1.01, high: 1.04 };

const aFigure = (fields: Partial<Figure> = {}): Figure => ({
  name: '',
  value: 1.25,
  unit: '×',
  bar: 1.3,
  stretch: 1.1,
  detail: '',
  ...fields,
});

const inTheMiddle = { low: 0.98, median: 1.06, high: 1.09 };
const below = { low: 0.8, median: 1, high: 1.04 };
const above = { low: 0.98, median: 1, high: 1.2 };

// Against a bar of 1.3 and a stretch of 1.1; the peer over itself beside it.
test.each([
  [1.1, quiet, 'stretch'],
  [1.11, quiet, 'held'],
  [1.3, quiet, 'held'],
  [1.31, quiet, 'over'],
  [Number.NaN, quiet, 'over'],
  // Noise could carry it across its bar, or into its stretch.
  ...[inTheMiddle, below, above].flatMap((noisy) => [
    [1.32, noisy, 'not judged'] as const,
    [1.28, noisy, 'not judged'] as const,
    [2, noisy, 'over'] as const,
    [0.5, noisy, 'stretch'] as const,
  ]),
  [1.05, inTheMiddle, 'held'],
  // Half of its own time is as far off as double.
  [0.7, { low: 0.5, median: 1, high: 1 }, 'not judged'],
  [0.7, { low: 1, median: 1, high: 2 }, 'not judged'],
] as const)('a figure of %s beside a peer that differs from itself by %j is: %s', (value, sameTwice, verdict) => {
  expect(verdictOf(aFigure({ value }), { sameTwice })).toBe(verdict);
});

test('a count of one if none is accepted is over, and what has no bar is printed only', () => {
  expect(verdictOf(aFigure({ value: 1, bar: 0 }), {})).toBe('over');
  expect(verdictOf(aFigure({ value: 0, bar: 0, stretch: undefined }), {})).toBe('held');
  expect(verdictOf(aFigure({ value: 99, bar: undefined }), {})).toBe('no bar');
});

test.each([
  [['held', 'not judged', 'over', 'stretch'], 1],
  [['held', 'not judged', 'no bar'], 2],
  [['held', 'stretch', 'no bar'], 0],
] as const)('a run with %j ends with %i', (verdicts, code) => {
  expect(exitCodeOf(verdicts)).toBe(code);
});
