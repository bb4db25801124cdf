import { roughly } from '#operator/readable.ts';

/** How the lines for people write instants, by what they go to. */
export interface Times {
  /**
   * One instant.
   * @param now - the stage's time
   * @example on a terminal `22:00, in 2 h` or `Mon 23 Nov 22:00`; in a file `2026-11-20T22:00:00.000Z`
   */
  readonly at: (instant: string, now: Date) => string;
  /** The stage's time at the head of a screen, with the zone of all others. */
  readonly head: (now: Date) => string;
}

/** RFC 3339 in UTC, for files and pipes: what a program reads must not depend on who called it. */
export const utcTimes: Times = {
  at: (instant) => instant,
  head: (now) => now.toISOString(),
};

/** A person at night thinks in hours: an instant that is nearer says how far it is, and needs no date. */
const nearMs = 24 * 3_600_000;

/**
 * For a terminal: in the zone of the person who reads, and how far from now.
 * @param timeZone - `Europe/Dublin`
 */
export function localTimes(timeZone: string): Times {
  const of = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options });
    return (instant: Date) => format.format(instant).replaceAll(',', '');
  };
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const [near, far, farther] = [of(time), of({ ...day, ...time }), of({ ...day, year: 'numeric', ...time })];
  return {
    at(text, now) {
      const instant = new Date(text);
      if (Number.isNaN(instant.getTime())) return text;
      const aheadMs = instant.getTime() - now.getTime();
      if (Math.abs(aheadMs) < nearMs) return `${near(instant)}, ${distance(aheadMs)}`;
      return instant.getUTCFullYear() === now.getUTCFullYear() ? far(instant) : farther(instant);
    },
    head: (now) => `${far(now)}, times in ${timeZone}`,
  };
}

function distance(aheadMs: number): string {
  return aheadMs > 0 ? `in ${roughly(aheadMs)}` : `${roughly(-aheadMs)} ago`;
}
