import { describe, expect, test } from 'vitest';
import {
  nextFireTimes,
  parseScheduleExpression,
  type ScheduleBounds,
  type ScheduleExpression,
} from '#shared/schedule/schedule-expression.ts';

describe('accepts what AWS accepts', () => {
  test.each([
    'cron(0 22 ? * MON-FRI *)',
    'cron(0/15 * * * ? *)',
    'cron(*/10 8-18/2 ? JAN,mar 2-6 2026-2030)',
    'cron(0 6 L * ? *)',
    'cron(0 6 LW * ? *)',
    'cron(0 6 15W * ? *)',
    'cron(0 6 ? * L *)',
    'cron(0 6 ? * 6L *)',
    'cron(0 6 ? * FRI#2 *)',
    'cron(0 6 ? * FRI-MON *)',
    'cron(0 22-6 ? NOV-FEB * *)',
    'cron(0 0 29 2 ? *)',
    'rate(1 minute)',
    'rate(15 minutes)',
    'rate(1 hour)',
    'rate(2 days)',
    'at(2026-11-20T22:00:00)',
    ' at(2028-02-29T00:00:00) ',
  ])('%s', (text) => {
    expect(parseScheduleExpression(text)).toMatchObject({ ok: true });
  });
});

describe('says in one sentence what is wrong', () => {
  test.each([
    ['0 22 * * *', 'is not a schedule'],
    ['cron 0 22 ? * * *', 'is not a schedule'],
    ['cron(0 22 * * ?)', 'not 5: these are the five of a crontab; write "cron(0 22 * * ? *)".'],
    ['cron(30 6 * * 0,6)', 'write "cron(30 6 ? * SUN,SAT *)".'],
    ['cron(*/15 8-18 1 JAN *)', 'write "cron(*/15 8-18 1 JAN ? *)".'],
    ['0 22 * * 1-5', 'is not a schedule: these are the five fields of a crontab; write "cron(0 22 ? * MON-FRI *)".'],
    ['0 0 * * 7', 'write "cron(0 0 ? * SUN *)".'],
    // Either day would do for a crontab, and no expression of AWS says that; nor has AWS steps of
    // weekdays, or this hour.
    ['cron(0 22 1 * MON)', 'day-of-week year), not 5.'],
    ['cron(0 22 * * */2)', 'day-of-week year), not 5.'],
    ['0 25 * * *', 'is not a schedule: write cron(…), rate(…) or at(…)'],
    ['cron()', 'not 0'],
    ['cron(0 22 * * * *)', 'exactly one of day-of-month and day-of-week must be "?"'],
    ['cron(0 22 ? * ? *)', 'exactly one of day-of-month and day-of-week must be "?"'],
    ['cron(60 22 ? * * *)', 'the minutes field says "60"'],
    ['cron(0 24 ? * * *)', 'the hours field says "24" where a number from 0 to 23'],
    ['cron(0 0 0 * ? *)', 'the day-of-month field says "0"'],
    ['cron(0 0 ? 13 * *)', 'a number from 1 to 12 or a name from JAN to DEC'],
    ['cron(0 0 ? * 0 *)', 'the day-of-week field says "0"'],
    ['cron(0 0 ? * MON,MOO *)', 'the day-of-week field says "MOO"'],
    ['cron(0 0 ? * 2/2 *)', 'takes no "/"'],
    ['cron(0 0 ? * 6#6 *)', 'one number from 1 to 5'],
    ['cron(0 0 ? * 8L *)', 'comes before L or #'],
    ['cron(0 0 L,15 * ? *)', 'each alone'],
    ['cron(0 0 L-3 * ? *)', 'each alone'],
    ['cron(0 0 32W * ? *)', 'each alone'],
    ['cron(0/0 0 ? * * *)', 'a step of "0"'],
    ['cron(0/60 0 ? * * *)', 'a step of "60"'],
    ['cron(0- 0 ? * * *)', 'cannot be read at "0-"'],
    ['cron(*-5 0 ? * * *)', 'cannot be read at "*-5"'],
    ['cron(1,,2 0 ? * * *)', 'cannot be read at ""'],
    ['cron(0 0 ? * * 1969)', 'the year field says "1969"'],
    ['cron(0 0 ? * * 2030-2026)', 'runs backwards'],
    ['cron(0 0 31 2 ? *)', 'would never run'],
    ['rate(0 minutes)', 'more than zero'],
    ['rate(1 minutes)', 'AWS wants "1 minute"'],
    ['rate(5 minute)', 'AWS wants "5 minutes"'],
    ['rate(5 weeks)', 'minutes, hours or days'],
    ['rate(1.5 hours)', 'minutes, hours or days'],
    ['at(2026-11-31T22:00:00)', 'a real local date'],
    ['at(2026-11-20T24:00:00)', 'a real local date'],
    ['at(2026-11-20T22:00:00Z)', 'a real local date'],
    ['at(2026-11-20 22:00)', 'a real local date'],
  ])('%s', (text, sentence) => {
    expect(parseScheduleExpression(text)).toMatchObject({ ok: false, problem: expect.stringContaining(sentence) });
  });
});

function expression(text: string): ScheduleExpression {
  const result = parseScheduleExpression(text);
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

function fires(
  text: string,
  timezone: string,
  from: string,
  limits: ScheduleBounds & { readonly count: number },
): string[] {
  return nextFireTimes(expression(text), timezone, new Date(from), limits).map((at) =>
    at.toISOString().replace(':00.000Z', 'Z'),
  );
}

describe('the calendar', () => {
  test.each([
    ['cron(0 22 ? * MON-FRI *)', ['2026-11-20T22:00Z', '2026-11-23T22:00Z', '2026-11-24T22:00Z']],
    [
      'cron(0 22 ? * FRI-MON *)',
      ['2026-11-20T22:00Z', '2026-11-21T22:00Z', '2026-11-22T22:00Z', '2026-11-23T22:00Z', '2026-11-27T22:00Z'],
    ],
    ['cron(0 22 ? * 1 *)', ['2026-11-22T22:00Z', '2026-11-29T22:00Z']],
    ['cron(0 22 ? * L *)', ['2026-11-21T22:00Z', '2026-11-28T22:00Z']],
    ['cron(0 22 ? * 6L *)', ['2026-11-27T22:00Z', '2026-12-25T22:00Z', '2027-01-29T22:00Z']],
    ['cron(0 22 ? * FRI#5 *)', ['2027-01-29T22:00Z', '2027-04-30T22:00Z']],
    ['cron(0 22 L * ? *)', ['2026-11-30T22:00Z', '2026-12-31T22:00Z', '2027-01-31T22:00Z', '2027-02-28T22:00Z']],
    ['cron(0 22 LW * ? *)', ['2026-11-30T22:00Z', '2026-12-31T22:00Z', '2027-01-29T22:00Z']],
    [
      'cron(0 22 15W * ? *)',
      [
        '2026-12-15T22:00Z',
        '2027-01-15T22:00Z',
        '2027-02-15T22:00Z',
        '2027-03-15T22:00Z',
        '2027-04-15T22:00Z',
        '2027-05-14T22:00Z',
      ],
    ],
    ['cron(0 0 29 2 ? *)', ['2028-02-29T00:00Z', '2032-02-29T00:00Z', '2036-02-29T00:00Z']],
    ['cron(30/20 22-23 ? * * *)', ['2026-11-20T22:30Z', '2026-11-20T22:50Z', '2026-11-20T23:30Z']],
    [
      'cron(0 22-1 ? * * *)',
      ['2026-11-20T22:00Z', '2026-11-20T23:00Z', '2026-11-21T00:00Z', '2026-11-21T01:00Z', '2026-11-21T22:00Z'],
    ],
    ['cron(0 0 1 1 ? 2026-2027)', ['2027-01-01T00:00Z']],
    ['cron(0 22 ? * * 2020)', []],
  ])('%s', (text, expected) => {
    expect(fires(text, 'UTC', '2026-11-20T20:00:00Z', { count: Math.max(1, expected.length) })).toEqual(expected);
  });

  test('is asked for what comes after the given time, never for that time itself', () => {
    expect(fires('cron(0 22 ? * * *)', 'UTC', '2026-11-20T22:00:00Z', { count: 1 })).toEqual(['2026-11-21T22:00Z']);
    expect(fires('cron(0 22 ? * * *)', 'UTC', '2026-11-20T21:59:59.999Z', { count: 1 })).toEqual(['2026-11-20T22:00Z']);
  });
});

describe('daylight saving time', () => {
  test.each([
    ['Europe/Dublin', 'cron(30 1 ? * * *)', '2026-03-28T00:00:00Z', ['2026-03-28T01:30Z', '2026-03-30T00:30Z']],
    ['Europe/Berlin', 'cron(30 2 ? * * *)', '2026-03-28T00:00:00Z', ['2026-03-28T01:30Z', '2026-03-30T00:30Z']],
    ['America/New_York', 'cron(30 2 ? * * *)', '2026-03-07T00:00:00Z', ['2026-03-07T07:30Z', '2026-03-09T06:30Z']],
    ['Australia/Lord_Howe', 'cron(15 2 ? * * *)', '2026-10-02T12:00:00Z', ['2026-10-02T15:45Z', '2026-10-04T15:15Z']],
  ])('[E3] in spring %s skips the local time that does not exist', (timezone, text, from, expected) => {
    expect(fires(text, timezone, from, { count: 2 })).toEqual(expected);
  });

  test.each([
    ['Europe/Dublin', 'cron(30 1 ? * * *)', '2026-10-24T12:00:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['Europe/Berlin', 'cron(30 2 ? * * *)', '2026-10-24T12:00:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['America/New_York', 'cron(30 1 ? * * *)', '2026-10-31T12:00:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    ['Australia/Lord_Howe', 'cron(45 1 ? * * *)', '2026-04-04T00:00:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
  ])('[E3] in autumn %s runs once in the repeated hour', (timezone, text, from, expected) => {
    expect(fires(text, timezone, from, { count: 2 })).toEqual(expected);
  });

  test('[E3] does not run again when asked in the middle of the second pass of the hour', () => {
    expect(fires('cron(45 2 ? * * *)', 'Europe/Berlin', '2026-10-25T01:10:00Z', { count: 1 })).toEqual([
      '2026-10-26T01:45Z',
    ]);
  });

  test('keeps the hours around the change', () => {
    expect(fires('cron(0 * ? * * *)', 'Europe/Berlin', '2026-03-28T23:30:00Z', { count: 4 })).toEqual([
      '2026-03-29T00:00Z',
      '2026-03-29T01:00Z',
      '2026-03-29T02:00Z',
      '2026-03-29T03:00Z',
    ]);
  });
});

const rateOf = (startDate: string) => ({ startDate: new Date(startDate) });

test.each<readonly [string, Parameters<typeof fires>, readonly string[]]>([
  [
    'at its creation, then every period',
    ['rate(15 minutes)', 'UTC', '2026-11-20T22:07:00Z', { count: 3 }],
    ['2026-11-20T22:07Z', '2026-11-20T22:22Z', '2026-11-20T22:37Z'],
  ],
  [
    'from its start date on',
    ['rate(1 hour)', 'UTC', '2026-11-20T21:00:00Z', { count: 2, ...rateOf('2026-11-20T22:00:00Z') }],
    ['2026-11-20T22:00Z', '2026-11-20T23:00Z'],
  ],
  [
    'in the beat of its start date',
    ['rate(1 hour)', 'UTC', '2026-11-21T05:30:00Z', { count: 1, ...rateOf('2026-11-20T22:00:00Z') }],
    ['2026-11-21T06:00Z'],
  ],
  [
    'after 24 hours through a change of the clock',
    ['rate(1 day)', 'Europe/Berlin', '2026-10-24T20:00:00Z', { count: 1, ...rateOf('2026-10-24T20:00:00Z') }],
    ['2026-10-25T20:00Z'],
  ],
])('a rate fires %s', (_when, asked, expected) => {
  expect(fires(...asked)).toEqual(expected);
});

test.each([
  ['at(2026-11-20T22:00:00)', 'America/New_York', '2026-11-20T00:00:00Z', ['2026-11-21T03:00Z']],
  ['at(2026-07-20T22:00:00)', 'Europe/Dublin', '2026-07-20T00:00:00Z', ['2026-07-20T21:00Z']],
  ['at(2026-11-20T22:00:00)', 'UTC', '2026-11-20T22:00:00Z', []],
  ['at(2026-03-29T02:30:00)', 'Europe/Berlin', '2026-03-01T00:00:00Z', []],
])('%s of %s fires once at its local time, unless that is over or does not exist', (text, zone, from, expected) => {
  expect(fires(text, zone, from, { count: 5 })).toEqual(expected);
});

test('a schedule fires at its start date, and before its end date but not at it', () => {
  const bounds = { startDate: new Date('2026-11-20T22:00:00Z'), endDate: new Date('2026-11-22T22:00:00Z') };

  expect(fires('cron(0 22 ? * * *)', 'UTC', '2026-11-01T00:00:00Z', { count: 9, ...bounds })).toEqual([
    '2026-11-20T22:00Z',
    '2026-11-21T22:00Z',
  ]);
});
