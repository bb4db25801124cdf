import { expect, test } from 'vitest';
import { alwaysFree, beyondFree, leftOfFree } from '../../bench/cost/idle-month.ts';
import { costOf, type Usage } from '../../bench/cost/usage.ts';

const stage: Usage = { alarmMonth: 35, sqsRequest: 4_500_000, metricMonth: 6, dashboardMonth: 1, secretMonth: 1 };

test('what is always free is taken off once', () => {
  expect(beyondFree(stage)).toEqual({
    alarmMonth: 25,
    sqsRequest: 3_500_000,
    metricMonth: 0,
    dashboardMonth: 0,
    secretMonth: 1,
  });
});

test('a second stage of the account has what the first leaves of it, and no more', () => {
  expect(leftOfFree(stage)).toMatchObject({ alarmMonth: 0, sqsRequest: 0, metricMonth: 4, dashboardMonth: 2 });
  expect(beyondFree(stage, leftOfFree(stage))).toEqual({
    alarmMonth: 35,
    sqsRequest: 4_500_000,
    metricMonth: 2,
    dashboardMonth: 0,
    secretMonth: 1,
  });
});

test('both together cost what one stage of twice the size does', () => {
  const twice = Object.fromEntries(Object.entries(stage).map(([name, units]) => [name, 2 * units]));
  const both = costOf(beyondFree(stage)).usd + costOf(beyondFree(stage, leftOfFree(stage))).usd;

  expect(both).toBeCloseTo(costOf(beyondFree(twice)).usd);
  expect(leftOfFree({})).toEqual(alwaysFree);
});
