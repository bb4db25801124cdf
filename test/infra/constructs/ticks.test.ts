import { Duration } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { shortestOf, tickWatch } from '#infra/constructs/compute/stage-schedules.ts';

const one = {};
const twoOfThree = { of: 3, breaching: 2 };

test.each([
  ['1 minute', Duration.minutes(1), 5, twoOfThree, 2],
  ['15 minutes', Duration.minutes(15), 15, twoOfThree, 2],
  ['1 day', Duration.days(1), 1440, twoOfThree, 2],
  ['36 hours', Duration.hours(36), 1440, one, 3],
  ['3 days', Duration.days(3), 1440, one, 6],
])('ticks every %s are missed when two in a row do not come', (...[_every, every, periodMinutes, failures, missed]) => {
  const watch = tickWatch(every);

  expect(watch.period.toMinutes()).toBe(periodMinutes);
  expect(watch.failures).toEqual(failures);
  expect(watch.silence).toEqual({ of: missed });
});

test('ticks that come once a week are too rare for CloudWatch to miss', () => {
  expect(tickWatch(Duration.days(7)).silence).toBeUndefined();
});

test('of several schedules the shortest counts, and none is none', () => {
  const expressions = ['rate(1 day)', 'rate(15 minutes)', 'rate(1 hour)'].map((expression) => ({ expression }));

  expect(shortestOf(expressions)?.toMinutes()).toBe(15);
  expect(shortestOf([])).toBeUndefined();
});
