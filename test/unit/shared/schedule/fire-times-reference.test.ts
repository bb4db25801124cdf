/**
 * Against a reference that knows nothing of croner or of our own arithmetic: it looks at every
 * minute on the wall.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { fireTimes, parseScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const MINUTE_MS = 60_000;
const WINDOW_MINUTES = 2 * 24 * 60;

/** A field of the cron expression with the set of numbers that it means. */
interface Field {
  readonly text: string;
  readonly means: (value: number) => boolean;
}

const any: Field = { text: '*', means: () => true };
const none: Field = { text: '?', means: () => true };

function list(values: readonly number[]): Field {
  return { text: values.join(','), means: (value) => values.includes(value) };
}

function range(from: number, to: number): Field {
  const inside = (value: number): boolean => (from <= to ? value >= from && value <= to : value >= from || value <= to);
  return { text: `${from}-${to}`, means: inside };
}

function every(from: number, step: number): Field {
  return { text: `${from}/${step}`, means: (value) => value >= from && (value - from) % step === 0 };
}

function field(min: number, max: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min, max });
  return fc.oneof(
    fc.constant(any),
    fc.array(value, { minLength: 1, maxLength: 4 }).map(list),
    fc.tuple(value, value).map(([from, to]) => range(from, to)),
    fc.tuple(value, fc.integer({ min: 1, max: 5 })).map(([from, step]) => every(from, step)),
  );
}

const days = fc.oneof(
  fc.tuple(field(1, 31), fc.constant(none)),
  fc.tuple(
    fc.constant(none),
    fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 })).map(([a, b]) => range(a, b)),
  ),
);

/** Around the changes of the clock, and one ordinary day. */
const places = fc.constantFrom(
  ['Europe/Dublin', '2026-03-28T05:17:00Z'],
  ['Europe/Dublin', '2026-10-24T05:17:00Z'],
  ['Europe/Berlin', '2026-03-28T05:17:00Z'],
  ['Europe/Berlin', '2026-10-25T00:40:00Z'],
  ['America/New_York', '2026-03-07T23:00:00Z'],
  ['America/New_York', '2026-11-01T05:10:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T03:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T03:00:00Z'],
  ['Asia/Kolkata', '2028-02-28T12:00:00Z'],
  ['UTC', '2026-12-31T00:00:00Z'],
) as fc.Arbitrary<[string, string]>;

function everyMinute(timezone: string, fromMs: number, matches: (wall: Date) => boolean): string[] {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  const seen = new Set<string>();
  const found: string[] = [];
  // A day of run-up, so that the first pass of a repeated hour is known when the window starts in
  // the second.
  for (let minute = -24 * 60; minute <= WINDOW_MINUTES; minute += 1) {
    const at = new Date(fromMs + minute * MINUTE_MS);
    const wall = shown.format(at).replace(' ', 'T');
    if (!seen.has(wall) && minute > 0 && matches(new Date(`${wall}Z`))) found.push(at.toISOString());
    seen.add(wall);
  }
  return found;
}

test('fires in exactly the minutes that a look at the wall clock would name', () => {
  fc.assert(
    fc.property(
      places,
      fc.tuple(field(0, 59), field(0, 23)),
      fc.tuple(days, field(1, 12)),
      ([timezone, from], [minute, hour], [[day, weekday], month]) => {
        const text = `cron(${minute.text} ${hour.text} ${day.text} ${month.text} ${weekday.text} *)`;
        const result = parseScheduleExpression(text);
        fc.pre(result.ok || !result.problem.includes('would never run'));
        if (!result.ok) throw new Error(result.problem);
        const untilMs = Date.parse(from) + WINDOW_MINUTES * MINUTE_MS;

        const fired: string[] = [];
        const bounds = { endDate: new Date(untilMs + 1) };
        for (const at of fireTimes(result.value, timezone, new Date(from), bounds)) fired.push(at.toISOString());

        expect(fired).toEqual(
          everyMinute(
            timezone,
            Date.parse(from),
            (wall) =>
              minute.means(wall.getUTCMinutes()) &&
              hour.means(wall.getUTCHours()) &&
              day.means(wall.getUTCDate()) &&
              month.means(wall.getUTCMonth() + 1) &&
              weekday.means(wall.getUTCDay() + 1),
          ),
        );
      },
    ),
    propertyRuns(20),
  );
});
