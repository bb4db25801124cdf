import { expect, test } from 'vitest';
import { parseScheduleExpression, type ScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { irregularTimes } from '#shared/schedule/clock-changes.ts';
import { instantOfWallClock, isTimeZone } from '#shared/schedule/time-zone.ts';

test.each(['UTC', 'Europe/Dublin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'])(
  '%s is a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(true);
  },
);

test.each(['', 'Europe/Nowhere', '+01:00', 'europe/dublin', 'Dublin', 'Europe/Dublin ', 'GMT+25'])(
  '"%s" is none',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
  },
);

test('a whole day that a zone left out does not exist', () => {
  expect(instantOfWallClock(Date.UTC(2011, 11, 30, 12), 'Pacific/Apia')).toBeUndefined();
});

const from = new Date('2026-11-21T00:00:00Z');
const to = new Date('2027-12-22T00:00:00Z');

function read(text: string): ScheduleExpression {
  const result = parseScheduleExpression(text);
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

test.each([
  ['cron(30 1 * * ? *)', 'Europe/Dublin', ['skipped 2027-03-28 01:30', 'repeated 2027-10-31 01:30']],
  ['cron(30 2 * * ? *)', 'America/New_York', ['skipped 2027-03-14 02:30']],
  ['cron(30 1 * * ? *)', 'America/New_York', ['repeated 2027-11-07 01:30']],
  [
    'cron(0/20 1 ? * SUN *)',
    'Europe/Dublin',
    [
      'skipped 2027-03-28 01:00',
      'skipped 2027-03-28 01:20',
      'skipped 2027-03-28 01:40',
      'repeated 2027-10-31 01:00',
      'repeated 2027-10-31 01:20',
      'repeated 2027-10-31 01:40',
    ],
  ],
  ['cron(0 22 * * ? *)', 'Europe/Dublin', []],
  ['cron(30 1 * * ? *)', 'UTC', []],
  ['cron(15 2 * * ? *)', 'Australia/Lord_Howe', ['skipped 2027-10-03 02:15']],
  ['at(2027-03-28T01:30:00)', 'Europe/Dublin', ['skipped 2027-03-28 01:30']],
  ['rate(1 hour)', 'Europe/Dublin', []],
])('%s in %s', (expression, zone, expected) => {
  const found = irregularTimes(read(expression), zone, from, to);

  expect(found.map(({ kind, local }) => `${kind} ${local}`)).toEqual(expected);
});
