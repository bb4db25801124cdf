import { expect, test } from 'vitest';
import { resolveBlackout } from '#shared/config/resolve/resolve-blackout.ts';
import type { BlackoutDocument } from '#shared/config/automation.ts';
import { blackoutSchema } from '#shared/config/schema/schedule-schema.ts';
import { coveringBlackout } from '#shared/schedule/blackouts.ts';

const dublin = 'Europe/Dublin';
const now = new Date('2026-11-20T12:00:00.000Z');
const yearEnd: BlackoutDocument = { name: 'year end', from: '2026-12-19T00:00', to: '2027-01-04T00:00' };
const officeHours: BlackoutDocument = {
  name: 'office hours',
  at: 'cron(0 8 ? * MON-FRI *)',
  lasts: 'PT10H',
  starts: 'defer',
};

const resolved = (blackout: BlackoutDocument, timezone = dublin) =>
  resolveBlackout(blackoutSchema({ now }).parse(blackout), { timezone, now });

function covering(blackouts: readonly BlackoutDocument[], instant: string, campaign?: string) {
  const found = coveringBlackout(
    blackouts.flatMap((blackout) => resolved(blackout)),
    campaign,
    new Date(instant),
  );
  return found === undefined ? undefined : [found.blackout.name, found.until.toISOString()];
}

test.each([
  ['in summer, an hour earlier in UTC', '2027-07-05T07:00:00.000Z', ['office hours', '2027-07-05T17:00:00.000Z']],
  ['just before', '2027-07-05T06:59:59.999Z', undefined],
  ['in winter', '2026-11-23T17:59:59.999Z', ['office hours', '2026-11-23T18:00:00.000Z']],
  ['at its end', '2026-11-23T18:00:00.000Z', undefined],
  ['on a Saturday', '2026-11-21T10:00:00.000Z', undefined],
])('a blackout that comes again and again, %s', (_when, instant, expected) => {
  expect(covering([officeHours], instant)).toEqual(expected);
});

test('one that lasts longer than its period covers everything', () => {
  const always = { name: 'always', at: 'cron(0 * * * ? *)', lasts: 'PT90M' };

  expect(covering([always], '2026-11-21T01:10:00.000Z')).toEqual(['always', '2026-11-21T02:30:00.000Z']);
});

test('one of some campaigns leaves the others alone, and unconfigured runs', () => {
  const ofChat = { ...yearEnd, campaigns: ['chat'] };

  expect(covering([ofChat], '2026-12-24T00:00:00Z', 'chat')).toBeDefined();
  expect(covering([ofChat], '2026-12-24T00:00:00Z', 'other')).toBeUndefined();
  expect(covering([ofChat], '2026-12-24T00:00:00Z')).toBeUndefined();
});

test('of several the one that skips decides, then the one that ends last', () => {
  const longer = { ...yearEnd, name: 'longer', to: '2027-01-10T00:00' };

  expect(covering([officeHours, yearEnd], '2026-12-21T09:00:00Z')?.[0]).toBe('year end');
  expect(covering([yearEnd, longer], '2026-12-21T09:00:00Z')?.[0]).toBe('longer');
});

test('a beginning that spring leaves out is after the clocks have gone forward', () => {
  const gap = { name: 'gap', from: '2027-03-28T01:30', to: '2027-03-28T04:00' };

  expect(covering([gap], '2027-03-28T01:29:59Z')).toBeUndefined();
  expect(covering([gap], '2027-03-28T01:30:00Z')).toEqual(['gap', '2027-03-28T03:00:00.000Z']);
});

// It used not to happen on that day, and every start went through.
test.each([
  ['before the change', '2027-03-28T00:59:59.999Z', undefined],
  ['at the change', '2027-03-28T01:00:00.000Z', ['backup', '2027-03-28T03:00:00.000Z']],
  ['before its end', '2027-03-28T02:59:59.999Z', ['backup', '2027-03-28T03:00:00.000Z']],
  ['at its end', '2027-03-28T03:00:00.000Z', undefined],
  ['a day later', '2027-03-29T00:30:00.000Z', ['backup', '2027-03-29T02:30:00.000Z']],
])(
  '[E31] a recurring blackout whose hour spring leaves out begins as the clocks change: %s',
  (_when, instant, expected) => {
    const backup = { name: 'backup', at: 'cron(30 1 * * ? *)', lasts: 'PT2H' };

    expect(covering([backup], instant)).toEqual(expected);
  },
);

test('a change of the clocks begins no blackout of another hour', () => {
  expect(covering([{ name: 'noon', at: 'cron(0 12 * * ? *)', lasts: 'PT2H' }], '2027-03-28T01:30:00Z')).toBeUndefined();
});

test('an hour that autumn repeats has its blackout once, from the first time', () => {
  const backup = { name: 'backup', at: 'cron(30 1 * * ? *)', lasts: 'PT45M' };

  expect(covering([backup], '2027-10-31T00:30:00Z')).toEqual(['backup', '2027-10-31T01:15:00.000Z']);
  expect(covering([backup], '2027-10-31T01:30:00Z')).toBeUndefined();
});

const holidays: BlackoutDocument = {
  name: 'holidays',
  dates: ['2027-03-28', '2026-12-25', '2026-12-24', '2026-07-01'],
};

test.each([
  ['just before, in summer', '2026-06-30T22:59:59.999Z', undefined],
  ['from its midnight in summer', '2026-06-30T23:00:00.000Z', ['holidays', '2026-07-01T23:00:00.000Z']],
  ['through two in a row', '2026-12-24T00:00:00.000Z', ['holidays', '2026-12-26T00:00:00.000Z']],
  ['on a day of 23 hours', '2027-03-28T22:59:59.999Z', ['holidays', '2027-03-28T23:00:00.000Z']],
  ['after it', '2027-03-28T23:00:00.000Z', undefined],
])('a blackout of whole days covers them in its zone, %s', (_when, instant, expected) => {
  expect(covering([holidays], instant)).toEqual(expected);
});

test('a whole day whose midnight the clocks skip begins as they change', () => {
  const [day] = resolved({ name: 'x', dates: ['2026-09-06'] }, 'America/Santiago');

  expect(day?.window).toEqual({ kind: 'once', from: '2026-09-06T04:00:00.000Z', to: '2026-09-07T03:00:00.000Z' });
});
