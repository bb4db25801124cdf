import { pastedLine, type Way } from '#operator/pasted.ts';
import { roughly } from '#operator/readable.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { localTime } from './output.ts';

/** How the lines for people write instants, by what they go to; each screen has the stage's time at which it was read. */
export type Times = (now?: Date) => When;

/** Writes the words of a command, which name no stage, as a line to paste. */
export type CommandWriter = (command: readonly string[]) => string;

/** The instants of one screen. */
export interface When {
  /** The stage's time. */
  readonly now: Date;
  /**
   * One instant.
   * @example on a terminal `22:00, in 2 h` or `Mon 23 Nov 22:00`; in a file `2026-11-20T22:00:00.000Z`
   */
  readonly at: (instant: string) => string;
  /** The wall clock of a zone; empty on a terminal of the same zone. */
  readonly elsewhere: (instant: string, timeZone: string) => string;
  /** Names the zone once on a screen; empty in a file, whose instants name it themselves. */
  readonly note: string;
  /** The stage's time with the note, for the head of a screen. */
  readonly head: string;
  /** Writes a command as a line to paste. */
  readonly line: CommandWriter;
  /** The columns of a terminal; a file has no end of a line. */
  readonly width?: number;
}

/** The same times, with commands that lead to a stage. */
export function leadingTo(times: Times, way: Way, stageNow?: () => Date): Times {
  return (now = stageNow?.()) => ({ ...times(now), line: (command) => pastedLine(command, way) });
}

const unnamed: CommandWriter = (command) => pastedLine(command, { stageWords: [] });

/** RFC 3339 in UTC, for files and pipes: what a program reads must not depend on who called it. */
export const utcTimes: Times = (now = new Date()) => ({
  now,
  at: utc,
  elsewhere: wallClock,
  note: '',
  head: now.toISOString(),
  line: unnamed,
});

/**
 * The zone for a person who reads: that of their machine; UTC if its `TZ` names none.
 * @param resolved - as `Intl` has it of the machine: undefined for a slip in `TZ`, and `Etc/Unknown`, which `Intl` itself refuses, for an empty one
 */
export function zoneOfReader(resolved: string | undefined): string {
  if (resolved === undefined) return 'UTC';
  try {
    localTimes(resolved);
    return resolved;
  } catch {
    return 'UTC'; // Intl has no other way to say that it does not know the zone
  }
}

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
  const year = of({ year: 'numeric' });
  const note = `times in ${timeZone}`;
  return (now = new Date()) => ({
    now,
    at(text) {
      const instant = new Date(text);
      if (Number.isNaN(instant.getTime())) return text;
      const aheadMs = instant.getTime() - now.getTime();
      if (Math.abs(aheadMs) < nearMs) return `${near(instant)}, ${distance(aheadMs)}`;
      return year(instant) === year(now) ? far(instant) : farther(instant);
    },
    elsewhere: (instant, zone) => (zone === timeZone ? '' : wallClock(instant, zone)),
    note,
    head: `${far(now)}, ${note}`,
    line: unnamed,
  });
}

function distance(aheadMs: number): string {
  if (Math.abs(aheadMs) < 1000) return 'now';
  return aheadMs > 0 ? `in ${roughly(aheadMs)}` : `${roughly(-aheadMs)} ago`;
}

/** With milliseconds, so that all have one width; a text that is no instant stays as it is. */
function utc(text: string): string {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
}

function wallClock(instant: string, timeZone: string): string {
  return `${localTime(new Date(instant), timeZone)} ${timeZone}`;
}

/** The zone in a line of its own, for a screen without a head. */
export function noteLines({ note }: When, paint: Paint): readonly string[] {
  return note === '' ? [] : [paint('dim', note)];
}
