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

test.each([
  [1.05, 'stretch'],
  [1.1, 'stretch'],
  [1.11, 'held'],
  [1.3, 'held'],
  [1.31, 'over'],
  [Number.NaN, 'over'],
] as const)('a figure of %s against a bar of 1.3 and a stretch of 1.1 is: %s', (value, verdict) => {
  expect(verdictOf(aFigure({ value }), { sameTwice: quiet })).toBe(verdict);
});

test('a count of one if none is accepted is over', () => {
  expect(verdictOf(aFigure({ value: 1, bar: 0 }), {})).toBe('over');
  expect(verdictOf({ name: '', value: 0, unit: 'inputs', bar: 0, detail: '' }, {})).toBe('held');
});

test('what has no bar is printed only', () => {
  expect(verdictOf({ name: '', value: 99, unit: '$', detail: '' }, {})).toBe('no bar');
});

const noisy = [
  ['in the middle', { low: 0.98, median: 1.06, high: 1.09 }],
  ['in a quarter of the rounds, below', { low: 0.8, median: 1, high: 1.04 }],
  ['in a quarter of the rounds, above', { low: 0.98, median: 1, high: 1.2 }],
] as const;

test.each(noisy)('if the peer differs from itself %s, a figure near its bar is not judged', (_, sameTwice) => {
  expect(verdictOf(aFigure({ value: 1.32 }), { sameTwice })).toBe('not judged');
  expect(verdictOf(aFigure({ value: 1.28 }), { sameTwice })).toBe('not judged');
});

test.each(noisy)(
  'if the peer differs from itself %s, what no noise can carry across its bar is judged',
  (_, sameTwice) => {
    expect(verdictOf(aFigure({ value: 2 }), { sameTwice })).toBe('over');
    expect(verdictOf(aFigure({ value: 0.5 }), { sameTwice })).toBe('stretch');
  },
);

test.each([
  { low: 0.5, median: 1, high: 1 },
  { low: 1, median: 1, high: 2 },
])('half of its own time is as far off as double: %j', (sameTwice) => {
  expect(verdictOf(aFigure({ value: 0.7 }), { sameTwice })).toBe('not judged');
});

test('a stretch that noise could have carried a figure into is not claimed', () => {
  expect(verdictOf(aFigure({ value: 1.05 }), { sameTwice: { low: 0.98, median: 1.06, high: 1.09 } })).toBe('held');
});

test('one figure over its bar is a failure, whatever the others are', () => {
  expect(exitCodeOf(['held', 'not judged', 'over', 'stretch'])).toBe(1);
});

test('a run that could not judge everything is no success', () => {
  expect(exitCodeOf(['held', 'not judged', 'no bar'])).toBe(2);
  expect(exitCodeOf(['held', 'stretch', 'no bar'])).toBe(0);
});
