import { describe, expect, test } from 'vitest';
import { isOverdue, isSettled, waitsUntil } from '#functions/poll-scanner-packages/change-set.ts';

/** A day's time, `22:10`, as an instant. */
const at = (time: string) => new Date(`2026-11-20T${time}:00Z`);
const set = (since: string, changedAt: string) => ({
  since: at(since).toISOString(),
  changedAt: at(changedAt).toISOString(),
});
const watch = { every: 'PT5M', settle: 'PT10M' };

describe('a change set of a watch that settles for ten minutes', () => {
  test.each([
    ['opened just now', set('22:00', '22:00'), '22:10'],
    ['with more found later', set('22:00', '22:08'), '22:18'],
    ['with more found all the time, an hour after it was opened', set('22:00', '22:55'), '23:00'],
  ])('%s waits until so long after its last change, and no longer than six times that', (_, open, until) => {
    expect(waitsUntil(open, watch)).toEqual(at(until));
  });

  test.each([
    ['at the look that found the change', set('22:00', '22:00'), '22:00', false],
    ['a minute too early', set('22:00', '22:00'), '22:09', false],
    ['to the minute', set('22:00', '22:00'), '22:10', true],
    ['counted from the last change, not from the first', set('22:00', '22:08'), '22:12', false],
    ['if the next look would come within the hour', set('22:00', '22:55'), '22:55', false],
    ['if the next look would come after the hour', set('22:00', '22:56'), '22:56', true],
  ])('is settled or not: %s', (_, open, now, isIt) => {
    expect(isSettled(open, watch, at(now))).toBe(isIt);
  });

  test.each([
    ['22:59', false],
    ['23:00', true],
  ])('is overdue an hour after it was opened, at %s: %j', (now, isIt) => {
    expect(isOverdue(set('22:00', '22:58'), watch, at(now))).toBe(isIt);
  });
});

test('a watch that looks less often than any set may wait closes it at once', () => {
  expect(isSettled(set('22:00', '22:00'), { every: 'P1D', settle: 'PT10M' }, at('22:00'))).toBe(true);
});

test('a watch that does not settle closes at once, after a complete look', () => {
  expect(isSettled(set('22:00', '22:00'), { every: 'PT15M' }, at('22:00'))).toBe(true);
  expect(isOverdue(set('22:00', '22:00'), { every: 'PT15M' }, at('23:59'))).toBe(false);
});
