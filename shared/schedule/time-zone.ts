import { dayMs, hourMs } from './duration.ts';

/**
 * Local time in a named zone, without a library: the offset comes from Intl, the rest is
 * arithmetic. A "wall clock" is a local date and time held as the milliseconds that the same digits
 * would have in UTC.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
/** How far each zone was ahead of UTC at midnights of UTC. */
const offsets = new Map<string, Map<number, number>>();

/** True for a name of the IANA time zone database (`Europe/Dublin`, `UTC`); an offset is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return false;
  try {
    const resolved = formatOf(name).resolvedOptions().timeZone;
    // Intl forgives capitals, AWS does not: europe/dublin would pass here and fail in a deployment.
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false; // Intl has no other way to say that it does not know the name
  }
}

/**
 * What a clock on the wall shows in the zone at this instant. Intl is slow: it is asked for the midnights of UTC, and within a day of which
 * the clocks are changed. They never are twice on one day.
 */
export function wallClockAt(instantMs: number, timeZone: string): number {
  const midnight = Math.floor(instantMs / dayMs) * dayMs;
  const offset = offsetAtMidnight(midnight, timeZone);
  const isChanged = offset !== offsetAtMidnight(midnight + dayMs, timeZone);
  return isChanged ? shownByIntl(instantMs, timeZone) : instantMs + offset;
}

function offsetAtMidnight(midnight: number, timeZone: string): number {
  const ofZone = offsets.get(timeZone) ?? new Map<number, number>();
  offsets.set(timeZone, ofZone);
  const offset = ofZone.get(midnight) ?? shownByIntl(midnight, timeZone) - midnight;
  ofZone.set(midnight, offset);
  return offset;
}

function shownByIntl(instantMs: number, timeZone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instantMs)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  const milliseconds = ((instantMs % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

/**
 * The instant at which a wall clock in the zone shows this time. If the hour repeats in autumn, it
 * is the first of the two. It is undefined if the time does not exist in spring.
 */
export function instantOfWallClock(wallMs: number, timeZone: string): number | undefined {
  const around = [wallMs - dayMs, wallMs + dayMs].map((near) => wallClockAt(near, timeZone) - near);
  const instants = around.map((offset) => wallMs - offset).filter((at) => wallClockAt(at, timeZone) === wallMs);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** The same; a time that spring leaves out is as many minutes after the clocks have gone forward. */
export function nearestInstant(wallMs: number, timeZone: string): number | undefined {
  return instantOfWallClock(wallMs, timeZone) ?? instantOfWallClock(wallMs + hourMs, timeZone);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** True for a day of the calendar, as `2026-11-20`: `Date.parse` takes February 30 for March 2. */
export function isCalendarDay(text: string): boolean {
  const midnightMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnightMs) && new Date(midnightMs).toISOString().slice(0, '2026-11-20'.length) === text;
}

const instant = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** True for an RFC 3339 instant, also without seconds, or with a space before its time. */
export function isInstant(text: string): boolean {
  return isCalendarDay(instant.exec(text)?.[1] ?? '') && !Number.isNaN(Date.parse(text));
}
