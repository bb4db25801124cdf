import { instantOfWallClock, nearestInstant, wallClockAt } from '#shared/schedule/time-zone.ts';
import { UsageError } from '../errors.ts';
import { dayAndTime } from '#shared/schedule/written-times.ts';
import { dayMs, hourMs } from '#shared/schedule/duration.ts';

/** The clock by which a person's times are meant: that of the stage, or UTC with `--utc`. */
export interface ZonedClock {
  readonly now: Date;
  readonly zone: string;
}

/** A time that a person typed. */
export interface TypedTime {
  readonly at: Date;
  /** Whether it names its day: `22:00` is another time tomorrow. */
  readonly isFixed: boolean;
}

/** `2026-11-27`, `2026-11-27T03:00` or `2026-11-27 03:00:30`, with or without an offset; `03:00`. */
const typed =
  /^(?:(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?<offset>Z|[+-]\d\d:?\d\d)?)?|(?<clock>[01]?\d:[0-5]\d|2[0-3]:[0-5]\d))$/i;

/**
 * Reads a time as people type it: by the clock of the stage if it names no offset.
 * @param towards - which `06:00` is meant: the next one, or the last one
 */
export function typedTime(option: string, text: string, towards: 'past' | 'future', clock: ZonedClock): TypedTime {
  const { date, time = '', offset, clock: hours } = typed.exec(text.trim())?.groups ?? {};
  if (hours !== undefined) return { at: nearest(hours.padStart(5, '0'), towards, clock), isFixed: false };
  if (date === undefined) throw notATime(option, text, towards, clock);
  // The 30th of February is read as the second of March.
  if (!isDate(date)) throw new UsageError(`${option}: there is no such date as ${date}`);
  const wall = Date.parse(`${date}T${time || '00:00'}${offset ?? 'Z'}`);
  if (Number.isNaN(wall)) throw notATime(option, text, towards, clock);
  const at = offset === undefined ? instantOf(wall, time === '', clock) : wall;
  if (at !== undefined) return { at: new Date(at), isFixed: true };
  throw new UsageError(
    `${option}: the clocks of ${clock.zone} leave out ${text.trim()}: name a time before or after it`,
  );
}

function isDate(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** A day whose midnight the clocks leave out begins an hour later. */
function instantOf(wall: number, isDay: boolean, { zone }: ZonedClock): number | undefined {
  return isDay ? nearestInstant(wall, zone) : instantOfWallClock(wall, zone);
}

/** The next time at which the clock shows these digits, or the last one. */
function nearest(hours: string, towards: 'past' | 'future', { now, zone }: ZonedClock): Date {
  const midnight = Math.floor(wallClockAt(now.getTime(), zone) / dayMs) * dayMs;
  const [hour = 0, minute = 0] = hours.split(':').map(Number);
  const times = [-2, -1, 0, 1, 2]
    .map((days) => instantOfWallClock(midnight + days * dayMs + hour * hourMs + minute * 60_000, zone))
    .filter((at) => at !== undefined);
  const found =
    towards === 'past' ? times.findLast((at) => at <= now.getTime()) : times.find((at) => at > now.getTime());
  return new Date(found ?? now.getTime());
}

function notATime(option: string, text: string, towards: 'past' | 'future', { now, zone }: ZonedClock): UsageError {
  const wall = new Date(wallClockAt(now.getTime() + (towards === 'past' ? -dayMs : dayMs), zone));
  const example = `${wall.toISOString().slice(0, 10)}T06:00`;
  const ago = towards === 'past' ? ' or 2h (ago)' : '';
  return new UsageError(`${option}: "${text}" is not a time, for example 06:00, ${example}${ago}`);
}

/** `Fri 20 Nov 20:00 (Europe/Dublin)`: a time in an error, by the clock by which it was read. */
export function timeWords(at: Date, { now, zone }: ZonedClock): string {
  return `${dayAndTime(at.getTime(), zone, now.getTime())} (${zone})`;
}
