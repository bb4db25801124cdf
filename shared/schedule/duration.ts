/**
 * Durations as people write them (`8 hours`) and as messages carry them (`PT8H`). A day is 24
 * hours, as for `rate()`.
 */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Ten years: a longer duration is a slip of the keyboard. */
const longestDurationMs = 3660 * dayMs;

const ISO = /^P(?!$)(?:(\d{1,9})D)?(?:T(?!$)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;
const WORDS = /^(\d{1,9})\s+(second|minute|hour|day)s?(?:(?:\s*,\s*|\s+and\s+|\s+)(?=\d)|$)/i;
const UNIT_MS: Readonly<Record<string, number>> = {
  second: 1000,
  minute: minuteMs,
  hour: hourMs,
  day: dayMs,
};

/** The longest duration of a command: a start that waits or counts for longer would hold back every night of a month. */
export const longestInCommandMs = 31 * dayMs;

/** A duration in both forms that the project uses. */
export interface Duration {
  readonly milliseconds: number;
  /** ISO 8601 with days, hours, minutes and seconds only, in its shortest form: `P1DT2H`. */
  readonly iso: string;
}

/**
 * Reads a duration of the configuration: `8 hours`, `1 hour 30 minutes`, or ISO 8601 (`PT8H`). More
 * than zero, at most ten years.
 * @example parseDuration('90 minutes') // { ok: true, value: { milliseconds: 5_400_000, iso: 'PT1H30M' } }
 */
export function parseDuration(text: string): Parsed<Duration> {
  const trimmed = text.trim();
  const milliseconds = durationMs(trimmed) ?? wordsMs(trimmed);
  if (milliseconds === undefined) {
    return parseProblem(
      `"${text}" is not a duration: write a number and seconds, minutes, hours or days ("8 hours", "1 hour 30 minutes"), or ISO 8601 ("PT8H").`,
    );
  }
  if (milliseconds === 0) return parseProblem(`"${text}" is no time at all: a duration is more than zero.`);
  if (milliseconds > longestDurationMs) return parseProblem(`"${text}" is longer than ten years.`);
  return parsed({ milliseconds, iso: isoDuration(milliseconds) });
}

const SHORT = /^(?:\d{1,9}[dhms])+$/i;
const shortUnits: Readonly<Record<string, string>> = { d: 'days', h: 'hours', m: 'minutes', s: 'seconds' };

/** Reads a duration of a command line: `90s`, `1h30m`, or as {@link parseDuration} does; undefined for another text. */
export function typedDuration(text: string): Duration | undefined {
  const trimmed = text.trim();
  const words = SHORT.test(trimmed)
    ? trimmed.replaceAll(
        /(\d+)([dhms])/gi,
        (_, digits: string, unit: string) => `${digits} ${shortUnits[unit.toLowerCase()]} `,
      )
    : trimmed;
  const read = parseDuration(words);
  return read.ok ? read.value : undefined;
}

/** The milliseconds of an ISO 8601 duration of days, hours, minutes and seconds. */
export function durationMs(iso: string): number | undefined {
  const match = ISO.exec(iso);
  if (match === null) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((digits) => Number(digits ?? 0));
  return (days ?? 0) * dayMs + (hours ?? 0) * hourMs + (minutes ?? 0) * minuteMs + (seconds ?? 0) * 1000;
}

/** The shortest ISO 8601 form of a number of milliseconds; a part of a second is dropped. */
export function isoDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const days = Math.floor(seconds / 86_400);
  const date = days > 0 ? `${days}D` : '';
  const time = [
    [Math.floor(seconds / 3600) % 24, 'H'] as const,
    [Math.floor(seconds / 60) % 60, 'M'] as const,
    [seconds % 60, 'S'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join('');
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

/** `1 hour 30 minutes`: units from large to small, each at most once. */
function wordsMs(text: string): number | undefined {
  let rest = text;
  let total = 0;
  let smallest = Infinity;
  do {
    const match = WORDS.exec(rest);
    const unitMs = UNIT_MS[match?.[2]?.toLowerCase() ?? ''];
    if (match === null || unitMs === undefined || unitMs >= smallest) return undefined;
    total += Number(match[1]) * unitMs;
    smallest = unitMs;
    rest = rest.slice(match[0].length);
  } while (rest !== '');
  return total;
}

/** What reading a text gives: its value, or one sentence for the person who wrote it. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** A text that could be read. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** A text that could not be read, and why. */
export function parseProblem(sentence: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: sentence };
}
