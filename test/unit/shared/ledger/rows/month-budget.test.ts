import { expect, test } from 'vitest';
import {
  countStart,
  isCounted,
  monthOf,
  newGuardRow,
  startsUsed,
  uncountStart,
} from '#shared/ledger/rows/guard-row.ts';

const row = newGuardRow('bot');
const november = { month: '2026-11', campaign: 'bot' };
const december = { month: '2026-12', campaign: 'bot' };
const now = new Date('2026-11-20T22:00:00Z');

test.each([
  ['2026-11-30T23:59:59Z', 'Europe/Dublin', '2026-11'],
  ['2026-12-01T00:00:00Z', 'Europe/Dublin', '2026-12'],
  // Summer time: midnight on the wall is an hour earlier.
  ['2026-06-30T23:00:00Z', 'Europe/Dublin', '2026-07'],
  ['2026-12-01T04:59:59Z', 'America/New_York', '2026-11'],
  ['2026-12-31T13:00:00Z', 'Pacific/Auckland', '2027-01'],
])('%s in %s is of the month %s', (instant, zone, month) => {
  expect(monthOf(new Date(instant), zone)).toBe(month);
});

test('a start counts once, however often it is counted', () => {
  const once = countStart(row, november, 'a', now);

  expect(startsUsed(countStart(once, november, 'a', now), november)).toBe(1);
  expect(startsUsed(countStart(once, november, 'b', now), november)).toBe(2);
});

test('a start that comes into effect in the next month after all counts there alone', () => {
  const moved = countStart(countStart(row, november, 'a', now), december, 'a', now);

  expect([startsUsed(moved, november), startsUsed(moved, december)]).toEqual([0, 1]);
});

test('a place that is given back is free, and no other is', () => {
  const two = countStart(countStart(row, november, 'a', now), november, 'b', now);

  const one = uncountStart(two, 'a');

  expect(startsUsed(one, november)).toBe(1);
  expect([isCounted(one, november, 'a'), isCounted(one, november, 'b')]).toEqual([false, true]);
  expect(uncountStart(one, 'a')).toBe(one);
});

test('campaigns that share a target have a count each', () => {
  const shared = countStart(countStart(row, november, 'a', now), { month: '2026-11', campaign: 'voice' }, 'b', now);

  expect(startsUsed(shared, november)).toBe(1);
});

test('months long ago are forgotten, so that the row stays small', () => {
  const spring = countStart(row, { month: '2026-03', campaign: 'bot' }, 'a', new Date('2026-03-10T00:00:00Z'));

  expect(Object.keys(countStart(spring, november, 'b', now).startsOfMonth ?? {})).toEqual(['2026-11']);
});
