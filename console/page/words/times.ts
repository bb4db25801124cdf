/** Durations, nights and dates of the page and the report. Pure: the clock and the zone are arguments. */

import { zoneFormat } from '#operator/times/written-times.ts';
import { nearestInstant, wallClockAt } from '#shared/schedule/time-zone.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The wall clock of a zone at an instant: a date, and minutes since its midnight. */
export interface WallClock {
  /** `2026-11-23` */
  readonly date: string;
  readonly minutes: number;
}

/** A calendar of 2,000 marks asks for each of its instants a hundred times, and `Intl` took a second for them. */
const clocks = new Map<string, WallClock>();
const mostClocks = 20_000;

/** Reads the wall clock of the zone. A repeated hour gives the same minutes twice. */
function wallClock(instant: number, zone: string): WallClock {
  const key = `${instant} ${zone}`;
  const known = clocks.get(key);
  if (known !== undefined) return known;
  if (clocks.size >= mostClocks) clocks.clear();
  const read = readWallClock(instant, zone);
  clocks.set(key, read);
  return read;
}

function readWallClock(instant: number, zone: string): WallClock {
  const wall = wallClockAt(instant, zone);
  return { date: new Date(wall).toISOString().slice(0, 10), minutes: (((wall % DAY) + DAY) % DAY) / MINUTE };
}

/** The night of a time: the date on which it begins at noon, and the minutes since. */
export function nightClock(at: number, zone: string): WallClock {
  const { date, minutes } = wallClock(at, zone);
  const noon = 12 * 60;
  return minutes >= noon ? { date, minutes: minutes - noon } : { date: addDays(date, -1), minutes: minutes + noon };
}

/**
 * `+01:00`: how the zone stands to UTC at an instant, so that two equal wall clock times look
 * different.
 */
export function offsetOf(instant: number, zone: string): string {
  const name = zoneFormat(zone, { timeZoneName: 'longOffset' })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return name === undefined || name === 'GMT' ? '+00:00' : name.replace('GMT', '');
}

/** `2 d 3 h`, `2 h 14 min`, `38 s`: the two largest units, so that a countdown stays short. */
export function duration(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', DAY],
    ['h', HOUR],
    ['min', MINUTE],
    ['s', SECOND],
  ];
  const rest = Math.max(0, ms);
  const first = units.findIndex(([, size]) => rest >= size);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .map(([name, size], index) => {
      const above = units[first + index - 1];
      const within = index === 0 || above === undefined ? rest : rest % above[1];
      return { name, count: Math.floor(within / size) };
    })
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(' ');
}

/** Days from one date to another, both included, as `2026-11-23`. Dates have no zone: each is counted as a day of UTC. */
export function datesBetween(from: string, until: string): readonly string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const count = Math.round((Date.parse(`${until}T00:00:00Z`) - first) / DAY) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, day) => new Date(first + day * DAY).toISOString().slice(0, 10));
}

/** `Mon 23 Nov` of a date. */
function dayName(date: string): string {
  return zoneFormat('UTC', { weekday: 'short', day: 'numeric', month: 'short' })
    .format(Date.parse(`${date}T00:00:00Z`))
    .replace(',', '');
}

/** `Mon 23–24 Nov`: the night that begins on a date. */
export function nightName(date: string): string {
  const [weekday, day, month] = dayName(date).split(' ');
  const [, next, nextMonth] = dayName(addDays(date, 1)).split(' ');
  return month === nextMonth ? `${weekday} ${day}–${next} ${month}` : `${weekday} ${day} ${month}–${next} ${nextMonth}`;
}

/** The time at which the clocks of a zone show these digits: `2026-11-23T06:00`; in an hour that they leave out, an hour later. */
export function instantOfWall(wall: string, zone: string): number {
  const digits = Date.parse(`${wall}Z`);
  return nearestInstant(digits, zone) ?? digits;
}

/** A date so many days later, or before. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}
