/** Times as every surface writes them: the command, the page, its files. In the stage's zone, which stands beside them once. */
import { dayMs } from './duration.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format of a zone, made once: `Intl` takes a thousand times as long to make one as to use it. */
export function zoneFormat(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  let made = formats.get(key);
  if (made === undefined) {
    made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options });
    formats.set(key, made);
  }
  return made;
}

/** `22:00`. */
export function clockTime(instant: number, zone: string): string {
  return zoneFormat(zone, { hour: '2-digit', minute: '2-digit' }).format(instant);
}

const nearMs = dayMs;

/** A time in a sentence: `22:00` within a day of now, else with its day. */
export function timeIn(at: string, zone: string, now: Date): string {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return at;
  const isNear = Math.abs(instant - now.getTime()) < nearMs;
  return isNear ? clockTime(instant, zone) : dayAndTime(instant, zone, now.getTime());
}

/** `Mon 23 Nov 22:00`; the year stands if it is not that of `now`, and always without a `now`. */
export function dayAndTime(instant: number, zone: string, now?: number): string {
  const year = zoneFormat(zone, { year: 'numeric' });
  const isThisYear = now !== undefined && year.format(instant) === year.format(now);
  const day = zoneFormat(zone, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: isThisYear ? undefined : 'numeric',
  }).format(instant);
  return `${day.replace(',', '')} ${clockTime(instant, zone)}`;
}
