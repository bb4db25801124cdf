import { pastedLine, type Way } from '#operator/pasted.ts';
import { roughly } from '#operator/readable.ts';
import { clockTime, dayAndTime } from '#shared/schedule/written-times.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** How the lines for people write times; each screen has the stage's time at which it was read. */
export type Times = (now?: Date) => When;

/** Writes the words of a command, which name no stage, as a line to paste. */
export type CommandWriter = (command: readonly string[]) => string;

/** The times of one screen. */
export interface When {
  /** The stage's time. */
  readonly now: Date;
  /**
   * One time.
   * @example on a terminal `22:00, in 2 h` or `Mon 23 Nov 22:00`; in a file always with its date
   */
  readonly at: (instant: string) => string;
  /**
   * From one time to another.
   * @example on a terminal `04:31 to 14:16`
   */
  readonly span: (from: string, to: string) => string;
  /** The clock of another zone; empty for the zone of the screen. */
  readonly elsewhere: (instant: string, timeZone: string) => string;
  /** Names the zone once on a screen; in a file also when it was written. */
  readonly note: string;
  /** The stage's time with the note, for the head of a screen. */
  readonly head: string;
  /** Writes a command as a line to paste. */
  readonly line: CommandWriter;
  /** The columns of a terminal; a file has no end of a line. */
  readonly width?: number;
}

/** What the lines of a result are written for: one look at a stage, on one terminal. */
export interface TextScreen extends When {
  readonly paint: Paint;
}

/** The same times, with commands that lead to a stage. */
export function leadingTo(times: Times, way: Way, stageNow?: () => Date): Times {
  return (now = stageNow?.()) => ({ ...times(now), line: (command) => pastedLine(command, way) });
}

/** A person at night thinks in hours: a time that is nearer says how far it is, and needs no date. */
const nearMs = dayMs;

/**
 * Times in a zone.
 * @param timeZone - that of the stage, or UTC
 * @param how.isFile - it may be read on another day, so each time has its date and none says how far it is
 */
export function timesIn(timeZone: string, { isFile = false }: { readonly isFile?: boolean } = {}): Times {
  return (now = new Date()) => {
    const note = `times in ${timeZone}`;
    const written = dayAndTime(now.getTime(), timeZone, isFile ? undefined : now.getTime());
    const isNear = (text: string) => !isFile && Math.abs(Date.parse(text) - now.getTime()) < nearMs;
    return {
      now,
      span(from, to) {
        const write = isNear(from) && isNear(to) ? clockTime : dayAndTime;
        const [begin, end] = [from, to].map((text) => write(Date.parse(text), timeZone, now.getTime()));
        return `${begin} to ${end}`;
      },
      at(text) {
        const instant = Date.parse(text);
        if (Number.isNaN(instant)) return text;
        if (!isNear(text)) return dayAndTime(instant, timeZone, now.getTime());
        return `${clockTime(instant, timeZone)}, ${distance(instant - now.getTime())}`;
      },
      elsewhere: (text, zone) => (zone === timeZone ? '' : `${clockTime(Date.parse(text), zone)} ${zone}`),
      note: isFile ? `${note}, written ${written}` : note,
      head: `${written}, ${note}`,
      line: (command) => pastedLine(command, { stageWords: [] }),
    };
  };
}

function distance(aheadMs: number): string {
  if (Math.abs(aheadMs) < 1000) return 'now';
  return aheadMs > 0 ? `in ${roughly(aheadMs)}` : `${roughly(-aheadMs)} ago`;
}

/** The zone in a line of its own, for a screen without a head. */
export function noteLines({ note, paint }: TextScreen): readonly string[] {
  return [paint('dim', note)];
}
