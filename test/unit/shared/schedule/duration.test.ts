import { describe, expect, test } from 'vitest';

import { durationMs, isoDuration, parseDuration, typedDuration } from '#shared/schedule/duration.ts';

describe('parseDuration', () => {
  test.each([
    ['8 hours', 28_800_000, 'PT8H'],
    ['1 hour', 3_600_000, 'PT1H'],
    ['30 minutes', 1_800_000, 'PT30M'],
    ['90 minutes', 5_400_000, 'PT1H30M'],
    ['45 seconds', 45_000, 'PT45S'],
    ['1 day', 86_400_000, 'P1D'],
    ['36 hours', 129_600_000, 'P1DT12H'],
    ['1 day, 2 hours and 5 minutes', 93_900_000, 'P1DT2H5M'],
    ['1 hour 30 minutes', 5_400_000, 'PT1H30M'],
    [' PT8H ', 28_800_000, 'PT8H'],
    ['P2DT3H', 183_600_000, 'P2DT3H'],
    ['PT90S', 90_000, 'PT1M30S'],
  ])('reads %s', (text, milliseconds, iso) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: { milliseconds, iso } });
  });

  test.each([
    ['', 'is not a duration'],
    ['8', 'is not a duration'],
    ['8hours', 'is not a duration'],
    ['eight hours', 'is not a duration'],
    ['-8 hours', 'is not a duration'],
    ['1.5 hours', 'is not a duration'],
    ['30 minutes 1 hour', 'is not a duration'],
    ['1 hour 2 hours', 'is not a duration'],
    ['1 hour and', 'is not a duration'],
    ['3 weeks', 'is not a duration'],
    ['P1M', 'is not a duration'],
    ['P1Y', 'is not a duration'],
    ['P', 'is not a duration'],
    ['PT', 'is not a duration'],
    ['P1DT', 'is not a duration'],
    ['0 minutes', 'no time at all'],
    ['PT0S', 'no time at all'],
    ['999999999 days', 'longer than ten years'],
  ])('says in one sentence what is wrong with "%s"', (text, sentence) => {
    const result = parseDuration(text);

    expect(result).toMatchObject({ ok: false, problem: expect.stringContaining(sentence) });
  });
});

test.each([0, 1, 59, 3600, 86_399, 90_061, 400_000_000])(
  'isoDuration and durationMs are each other’s inverse: %i s',
  (seconds) => {
    expect(durationMs(isoDuration(seconds * 1000))).toBe(seconds * 1000);
  },
);

test('durationMs reads nothing but ISO 8601 days, hours, minutes and seconds', () => {
  expect(durationMs('PT0S')).toBe(0);
  expect(durationMs('PT1M')).toBe(60_000);
  for (const text of ['8 hours', 'P1W', 'PT1.5H', 'pt1h', 'P1M', '-PT1H', 'PT1H ', 'PT1S1H']) {
    expect(durationMs(text)).toBeUndefined();
  }
});

test.each([
  ['90s', 90_000],
  [' 1h30m ', 5_400_000],
  ['3D', 259_200_000],
  ['8 hours', 28_800_000],
  ['PT8H', 28_800_000],
  ['3x', undefined],
  ['1m1h', undefined],
  ['0s', undefined],
  ['-1h', undefined],
  ['', undefined],
])('typedDuration reads "%s" as a command line has it', (text, milliseconds) => {
  expect(typedDuration(text)?.milliseconds).toBe(milliseconds);
});
