import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCalendarFile } from '#shared/config/schema/calendar-file.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const folder = join(import.meta.dirname, 'calendar-files');

function read(text: string, { timezone = 'Europe/Dublin', at = now } = {}) {
  return readCalendarFile('x.ics', { readText: () => text, timezone, now: at });
}

/** What a file closes, each as `2026-12-01T18:00/2026-12-01T20:00` in UTC. */
function closedBy(file: string): readonly string[] {
  const found = read(readFileSync(join(folder, file), 'utf8'));
  if (!found.ok) throw new Error(found.problem);
  return found.value.closed.map(({ from, to }) => `${from.slice(0, 16)}/${to.slice(0, 16)}`);
}

// Each is written as its program writes it. Dublin is at +00:00 in winter and at +01:00 from 28 March to 31 October 2027.
test.each([
  [
    'google-weekly.ics',
    'a series over the change in spring, one deleted, one moved',
    [
      '2027-03-15T22:00/2027-03-16T01:30',
      '2027-03-29T21:00/2027-03-30T00:30',
      '2027-04-06T19:00/2027-04-06T22:30',
      '2027-04-12T21:00/2027-04-13T00:30',
    ],
  ],
  [
    'google-holidays.ics',
    'whole days, which are free time',
    ['2026-12-25T00:00/2026-12-27T00:00', '2027-01-01T00:00/2027-01-02T00:00'],
  ],
  ['google-utc.ics', 'a time in UTC', ['2026-12-01T18:00/2026-12-01T20:00']],
  [
    'outlook-windows-zone.ics',
    'a zone that only the file defines, over the change in spring',
    [
      '2027-03-26T21:30/2027-03-26T22:45',
      '2027-03-27T21:30/2027-03-27T22:45',
      '2027-03-28T20:30/2027-03-28T21:45',
      '2027-03-29T20:30/2027-03-29T21:45',
    ],
  ],
  ['outlook-cancelled.ics', 'two days, and a cancelled event', ['2026-12-07T00:00/2026-12-09T00:00']],
  [
    'outlook-one-cancelled.ics',
    'a series without the cancelled one',
    ['2026-12-01T20:00/2026-12-01T22:00', '2026-12-15T20:00/2026-12-15T22:00'],
  ],
  [
    'apple-yearly.ics',
    'a rule without an end',
    ['2026-12-24T00:00/2026-12-25T00:00', '2027-12-24T00:00/2027-12-25T00:00'],
  ],
  [
    'apple-autumn.ics',
    'six hours each night, over the change in autumn',
    ['2027-10-29T22:00/2027-10-30T04:00', '2027-10-30T22:00/2027-10-31T04:00', '2027-10-31T23:00/2027-11-01T05:00'],
  ],
  ['apple-floating.ics', 'times of no zone, in that of the blackout', ['2026-12-10T09:00/2026-12-10T17:00']],
  [
    'bank-holidays.ics',
    'days without an end, in summer time',
    ['2027-03-28T23:00/2027-03-29T23:00', '2027-05-02T23:00/2027-05-03T23:00'],
  ],
  ['holiday-site.ics', 'a list of days', ['2026-12-08T00:00/2026-12-10T00:00', '2027-01-06T00:00/2027-01-07T00:00']],
  [
    'outlook-this-and-future.ics',
    'this and all that follow, moved',
    [
      '2026-12-01T20:00/2026-12-01T21:00',
      '2026-12-02T20:00/2026-12-02T21:00',
      '2026-12-03T22:00/2026-12-03T23:00',
      '2026-12-04T22:00/2026-12-04T23:00',
    ],
  ],
])('reads %s: %s', (file, _what, expected) => {
  expect(closedBy(file)).toEqual(expected);
});

const around = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR'].join('\r\n');
const event = (...lines: string[]) => around('BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT');

test.each([
  ['a saved page', '<!doctype html>', /"x\.ics" is no calendar: .*BEGIN:VCALENDAR/],
  [
    'a line that is none',
    event('DTSTART:20261201T180000Z', 'what is this', 'SUMMARY:x'),
    /"x\.ics", line 6: .*what is this/,
  ],
  [
    'a rule that is none',
    event('DTSTART:20261201T180000Z', 'SUMMARY:long', '  er', 'RRULE:FREQ=NIGHTLY'),
    /line 8: .*NIGHTLY/,
  ],
  ['a file that is cut off', event('DTSTART:20261201T180000Z').slice(0, -40), /line \d: it is cut off/],
  ['a time that is none', event('DTSTART:tomorrow'), /event of line 3: invalid date-time value/],
  ['an event without a begin', event('SUMMARY:x'), /event of line 3: it has no DTSTART/],
  [
    'a zone that nothing defines',
    event('DTSTART;TZID=Home:20261201T180000', 'DTEND;TZID=Home:20261201T190000'),
    /event of line 3: its time zone "Home"/,
  ],
  ['a file that closes nothing', event('DTSTART:20261201T180000Z'), /"x\.ics" closes nothing/],
  [
    'a rule of every minute',
    event('DTSTART:20261201T180000Z', 'DURATION:PT1S', 'RRULE:FREQ=MINUTELY'),
    /event of line 3: it comes over 5000 times/,
  ],
])('refuses %s and says where', (_what, text, problem) => {
  const found = read(text);

  expect(found.ok ? 'read' : found.problem).toMatch(problem);
});

test('refuses a file of more closed times than a start can look at', () => {
  const found = read(event('DTSTART:20261201T180000Z', 'DURATION:PT1M', 'RRULE:FREQ=HOURLY;COUNT=2500'));

  expect(found.ok ? 'read' : found.problem).toMatch(/2000 are the most/);
});

test('a file that is over keeps its last time, so that its end is known', () => {
  const found = read(event('DTSTART:20251201T180000Z', 'DTEND:20251201T190000Z'));

  expect(found.ok && found.value.endsAt).toBe('2025-12-01T19:00:00.000Z');
});
