/**
 * The closed times of an iCalendar file (RFC 5545) that a blackout names: read at synth, so no function needs the library. Recurrence,
 * exceptions and the file's own time zones are ical.js's work. Zones that have an IANA name are those of this machine.
 */
import ICAL from 'ical.js';
import { toError } from '../../errors/app-error.ts';
import { dayMs, type Parsed, parsed, parseProblem } from '../../schedule/duration.ts';
import { isTimeZone, nearestInstant } from '../../schedule/time-zone.ts';
import { readFileOf, type ReadText } from './ca-bundle.ts';

/** What a calendar file comes to. */
export interface CalendarFile {
  /** Closed times in order, as instants, the end not included. Those that touch are one. At least one, if it is over. */
  readonly closed: readonly { readonly from: string; readonly to: string }[];
  /** The end of the last one: the file says nothing about what comes later. */
  readonly endsAt: string;
}

/** Where to read, and what a time without a zone means. */
interface Reading {
  readonly readText?: ReadText | undefined;
  /** IANA zone of whole days, and of times that name none. */
  readonly timezone: string;
  readonly now: Date;
}

/** A rule without an end is followed for so long. A stage that is deployed once in that time never notices. */
const monthsAhead = 24;

/** A blackout of more windows is a `cron(…)`, and every start looks at each of them. */
const mostWindows = 2000;

/** A daily event of fourteen years; reading more takes seconds. */
const mostOccurrences = 5000;

/** True for a file: the other calendars are those of Systems Manager, and have an ARN. */
export function isCalendarFile(calendar: string): boolean {
  return /\.ics$/i.test(calendar);
}

/** Reads the file. A problem names the line, and says what to do. */
export function readCalendarFile(path: string, { readText, timezone, now }: Reading): Parsed<CalendarFile> {
  const file = readFileOf(path, readText);
  if (!file.ok) return file;
  const text = file.value.replace(/^\uFEFF/, '');
  if (!/^\s*BEGIN:VCALENDAR\s*$/im.test(text.slice(0, 200)))
    return parseProblem(`"${path}" is no calendar: it does not begin with BEGIN:VCALENDAR. Export it as iCalendar.`);
  const read = componentsOf(text);
  if (!read.ok) return parseProblem(`"${path}", ${read.problem}`);
  // By months, so that the same file gives the same template all month.
  const range = {
    from: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1),
    until: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAhead, 1),
  };
  const found = closedTimes(read.value, lineNumbers(text, /^BEGIN:VEVENT\s*$/i), { ...range, timezone });
  return found.ok ? found : parseProblem(`"${path}"${found.problem}`);
}

/** The calendars of a text; or the line that is none of a calendar. */
function componentsOf(text: string): Parsed<readonly ICAL.Component[]> {
  const problem = parseError(text);
  if (problem === undefined) {
    const parts: unknown[] = ICAL.parse(text);
    const calendars = (typeof parts[0] === 'string' ? [parts] : parts) as unknown[][];
    return parsed(calendars.map((calendar) => new ICAL.Component(calendar)));
  }
  const lines = text.split(/\r?\n/);
  if (problem === unfinished) return parseProblem(`line ${lines.length}: it is cut off there. Export it again.`);
  // A line that begins with a space goes on with the one before.
  const begins = lines.flatMap((line, at) => (/^[ \t]/.test(line) ? [] : [at]));
  const isBad = (count: number) =>
    ![undefined, unfinished].includes(parseError(lines.slice(0, begins[count]).join('\n')));
  let [good, bad] = [0, begins.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBad(middle)) bad = middle;
    else good = middle;
  }
  return parseProblem(`line ${(begins[good] ?? 0) + 1}: ${problem}. Export it again.`);
}

const unfinished = 'invalid ical body. component began but did not end';

function parseError(text: string): string | undefined {
  try {
    ICAL.parse(text);
    return undefined;
  } catch (error) {
    return toError(error).message;
  }
}

interface Range {
  readonly from: number;
  readonly until: number;
  readonly timezone: string;
}

type Span = readonly [from: number, to: number];

function closedTimes(
  calendars: readonly ICAL.Component[],
  lines: readonly number[],
  range: Range,
): Parsed<CalendarFile> {
  const all = calendars.flatMap((calendar) => calendar.getAllSubcomponents('vevent'));
  const spans: Span[] = [];
  for (const calendar of calendars) {
    if (String(calendar.getFirstPropertyValue('method')).toUpperCase() === 'CANCEL') continue;
    for (const [event, ...exceptions] of seriesOf(calendar)) {
      try {
        spans.push(...spansOf(event, exceptions, range));
      } catch (error) {
        return parseProblem(`, event of line ${lines[all.indexOf(event)]}: ${toError(error).message}.`);
      }
    }
  }
  const joined = joinedSpans(spans);
  const coming = joined.filter(([, to]) => to > range.from);
  const last = joined.at(-1);
  if (last === undefined) return parseProblem(' closes nothing: no event in it lasts any time.');
  if (coming.length > mostWindows)
    return parseProblem(
      ` closes ${coming.length} times in two years, and ${mostWindows} are the most: write at and lasts.`,
    );
  const closed = (coming.length === 0 ? [last] : coming).map(([from, to]) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  }));
  return parsed({ closed, endsAt: new Date(last[1]).toISOString() });
}

/** The events of a calendar: each with the exceptions of its series behind it. An exception without a series stands alone. */
function seriesOf(calendar: ICAL.Component): readonly (readonly [ICAL.Component, ...ICAL.Component[]])[] {
  const byUid = Map.groupBy(calendar.getAllSubcomponents('vevent'), (event) => event.getFirstPropertyValue('uid'));
  return [...byUid].flatMap(([uid, events]) => {
    const masters = events.filter((event) => !event.hasProperty('recurrence-id'));
    const exceptions = events.filter((event) => event.hasProperty('recurrence-id'));
    if (uid === null || masters.length !== 1 || masters[0] === undefined)
      return events.map((event) => [event] as const);
    return [[masters[0], ...exceptions] as const];
  });
}

/** The times of one event, or of its whole series, that are not cancelled. @throws Error if a value of it is none */
function spansOf(component: ICAL.Component, exceptions: readonly ICAL.Component[], range: Range): readonly Span[] {
  const begin = component.getFirstPropertyValue('dtstart');
  if (!(begin instanceof ICAL.Time)) throw new Error('it has no DTSTART');
  if (isCancelled(component)) return [];
  const spanAt = (start: ICAL.Time, of: ICAL.Component): Span => {
    const from = instantOf(start, zoneNameOf(of, 'dtstart'), range.timezone);
    return [from, endOf(of, start, from, range.timezone)];
  };
  const event = new ICAL.Event(component, {
    strictExceptions: true,
    exceptions: exceptions.map((one) => new ICAL.Event(one)),
  });
  if (!event.isRecurring() || component.hasProperty('recurrence-id')) return [spanAt(begin, component)].filter(lasts);
  // The first of a list of days is the event itself, which the library leaves out.
  const spans: Span[] = component.hasProperty('rrule') ? [] : [spanAt(begin, component)];
  const iterator = event.iterator();
  for (let next = iterator.next(); next; next = iterator.next()) {
    if (instantOf(next, zoneNameOf(component, 'dtstart'), range.timezone) >= range.until) break;
    if (spans.length > mostOccurrences) throw new Error(`it comes over ${mostOccurrences} times: write at and lasts`);
    const { item, startDate } = event.getOccurrenceDetails(next);
    if (!isCancelled(item.component)) spans.push(spanAt(startDate, item.component));
  }
  return spans.filter(lasts);
}

function lasts([from, to]: Span): boolean {
  return to > from;
}

function isCancelled(event: ICAL.Component): boolean {
  return String(event.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED';
}

/** A DURATION is days of the calendar and then hours. A DTEND gives each of a series the same days or the same time (RFC 5545, 3.8.5.3). */
function endOf(event: ICAL.Component, start: ICAL.Time, from: number, timezone: string): number {
  const zone = zoneNameOf(event, 'dtstart');
  const plusDays = (days: number) => {
    const day = start.clone();
    day.adjust(days, 0, 0, 0);
    return instantOf(day, zone, timezone);
  };
  const duration = event.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) {
    const { weeks, days, hours, minutes, seconds } = duration;
    return plusDays(weeks * 7 + days) + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }
  const [first, end] = [event.getFirstPropertyValue('dtstart'), event.getFirstPropertyValue('dtend')];
  if (!(first instanceof ICAL.Time)) throw new Error('it has no DTSTART');
  if (!(end instanceof ICAL.Time)) return start.isDate ? plusDays(1) : from;
  if (first.isDate) return plusDays(Math.round((wallClock(end) - wallClock(first)) / dayMs));
  const length = instantOf(end, zoneNameOf(event, 'dtend'), timezone) - instantOf(first, zone, timezone);
  return from + length;
}

/** The zone that a property names; none for a whole day, a time in UTC, or a time of no zone. */
function zoneNameOf(event: ICAL.Component, name: 'dtstart' | 'dtend'): string | undefined {
  const named = event.getFirstProperty(name)?.getFirstParameter('tzid');
  return named === undefined || named === '' ? undefined : named;
}

/** @throws Error if the zone has no IANA name and the file does not define it */
function instantOf(time: ICAL.Time, named: string | undefined, timezone: string): number {
  const isUtc = time.zone === ICAL.Timezone.utcTimezone;
  if (isUtc && !time.isDate) return time.toJSDate().getTime();
  const zone = time.isDate || named === undefined ? timezone : named;
  if (isTimeZone(zone)) {
    const instant = nearestInstant(wallClock(time), zone);
    if (instant !== undefined) return instant;
  }
  if (time.zone === null || time.zone === ICAL.Timezone.localTimezone)
    throw new Error(`its time zone "${zone}" is no IANA zone, and the file does not define it`);
  return time.toUnixTime() * 1000;
}

function wallClock({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function joinedSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last === undefined || last[1] < from) joined.push([from, to]);
    else joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return joined;
}

function lineNumbers(text: string, pattern: RegExp): readonly number[] {
  return text.split(/\r?\n/).flatMap((line, at) => (pattern.test(line) ? [at + 1] : []));
}
