/** Nights and dates of the page and the report. Pure: the clock and the zone are arguments. */

import { zoneFormat } from '#shared/schedule/written-times.ts';
import { nearestInstant, wallClockAt } from '#shared/schedule/time-zone.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * The night of a time: the date on which it begins at noon, and the minutes of wall clock since. A
 * repeated hour gives the same minutes twice.
 */
export function nightClock(at: number, zone: string): { readonly date: string; readonly minutes: number } {
  const sinceNoon = wallClockAt(at, zone) - DAY / 2;
  return { date: dateOf(sinceNoon), minutes: (((sinceNoon % DAY) + DAY) % DAY) / MINUTE };
}

const dateOf = (wall: number) => new Date(wall).toISOString().slice(0, 10);

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

/** Days from one date to another, both included, as `2026-11-23`. Dates have no zone: each is counted as a day of UTC. */
export function datesBetween(from: string, until: string): readonly string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const count = Math.round((Date.parse(`${until}T00:00:00Z`) - first) / DAY) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, day) => dateOf(first + day * DAY));
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
  return dateOf(Date.parse(`${date}T00:00:00Z`) + days * DAY);
}
