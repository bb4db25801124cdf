/** EventBridge Scheduler's expressions, read as AWS reads them: `cron(…)`, `rate(…)`, `at(…)`. */
import { cronClock, insteadOfCrontab, translateCron } from './cron-expression.ts';
import { dayMs, hourMs, minuteMs, parsed, type Parsed, parseProblem } from './duration.ts';
import { instantOfWallClock, wallClockAt } from './time-zone.ts';

/** A schedule's expression, checked. */
export type ScheduleExpression =
  | {
      readonly kind: 'cron';
      readonly text: string;
      /** For croner. */
      readonly pattern: string;
    }
  | { readonly kind: 'rate'; readonly text: string; readonly periodMs: number }
  | { readonly kind: 'at'; readonly text: string; /** A wall clock; see time-zone.ts. */ readonly wallMs: number };

const UNIT_MS: Readonly<Record<string, number>> = { minute: minuteMs, hour: hourMs, day: dayMs };

/** Reads a schedule expression. */
export function parseScheduleExpression(text: string): Parsed<ScheduleExpression> {
  const match = /^(cron|rate|at)\(([^()]*)\)$/.exec(text.trim());
  if (match === null) {
    const instead = insteadOfCrontab(text);
    if (instead !== undefined) {
      return parseProblem(`"${text}" is not a schedule: these are the five fields of a crontab; write "${instead}".`);
    }
    return parseProblem(
      `"${text}" is not a schedule: write cron(…), rate(…) or at(…), such as "cron(0 22 ? * MON-FRI *)".`,
    );
  }
  const [, kind, inside = ''] = match;
  const result =
    kind === 'cron' ? readCron(text, inside) : kind === 'rate' ? readRate(text, inside) : readAt(text, inside);
  return result.ok ? result : parseProblem(`"${text}": ${result.problem}`);
}

function readCron(text: string, inside: string): Parsed<ScheduleExpression> {
  const translated = translateCron(inside);
  return translated.ok ? parsed({ kind: 'cron', text, pattern: translated.value }) : translated;
}

function readRate(text: string, inside: string): Parsed<ScheduleExpression> {
  const match = /^(\d{1,6})\s+(minute|hour|day)(s?)$/.exec(inside.trim());
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  if (match === null || unitMs === undefined) {
    return parseProblem('a rate is a whole number and minutes, hours or days, such as "rate(15 minutes)".');
  }
  const [, digits, unit, plural] = match;
  const count = Number(digits);
  if (count === 0) return parseProblem('a rate is more than zero.');
  if ((count === 1) !== (plural === '')) {
    return parseProblem(`AWS wants "${count} ${unit}${count === 1 ? '' : 's'}" here.`);
  }
  return parsed({ kind: 'rate', text, periodMs: count * unitMs });
}

function readAt(text: string, inside: string): Parsed<ScheduleExpression> {
  const digits = inside.trim();
  const wallMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(digits) ? Date.parse(`${digits}Z`) : Number.NaN;
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString() !== `${digits}.000Z`) {
    return parseProblem(
      'a single time is a real local date and time without a zone, such as "at(2026-11-20T22:00:00)".',
    );
  }
  return parsed({ kind: 'at', text, wallMs });
}

// When a schedule fires, as EventBridge Scheduler does it. Cron times are local: one that spring
// leaves out is skipped, one that autumn repeats fires once, the first time. `rate()` counts fixed
// milliseconds from its start.

/** The life of a schedule. */
export interface ScheduleBounds {
  /** The first instant at which it may fire; a `rate()` fires exactly then. */
  readonly startDate?: Date | undefined;
  /** It fires before this instant, not at it. */
  readonly endDate?: Date | undefined;
}

/**
 * Every time after `from` (not at it) at which the schedule fires, in order, without end for most
 * expressions. A `rate()` without a `startDate` is taken as created at `from`: it fires then, and
 * every period after.
 */
export function* fireTimes(
  expression: ScheduleExpression,
  timezone: string,
  from: Date,
  bounds: ScheduleBounds = {},
): Generator<Date, void, undefined> {
  const startMs = bounds.startDate?.getTime() ?? -Infinity;
  const endMs = bounds.endDate?.getTime() ?? Infinity;
  const afterMs = Math.max(from.getTime(), startMs - 1);
  for (const atMs of instantsAfter(expression, timezone, afterMs, bounds.startDate?.getTime())) {
    if (atMs >= endMs) return;
    yield new Date(atMs);
  }
}

/** The next few fire times. */
export function nextFireTimes(
  expression: ScheduleExpression,
  timezone: string,
  from: Date,
  options: ScheduleBounds & { readonly count: number },
): readonly Date[] {
  const times: Date[] = [];
  if (options.count <= 0) return times;
  for (const at of fireTimes(expression, timezone, from, options)) {
    times.push(at);
    if (times.length >= options.count) break;
  }
  return times;
}

function instantsAfter(
  expression: ScheduleExpression,
  timezone: string,
  afterMs: number,
  startMs: number | undefined,
): Iterable<number> {
  if (expression.kind === 'cron') return cronInstants(expression.pattern, timezone, afterMs);
  if (expression.kind === 'rate') return rateInstants(expression.periodMs, afterMs, startMs);
  const atMs = instantOfWallClock(expression.wallMs, timezone);
  return atMs !== undefined && atMs > afterMs ? [atMs] : [];
}

function* cronInstants(pattern: string, timezone: string, afterMs: number): Generator<number> {
  const clock = cronClock(pattern);
  let wall = clock.nextRun(new Date(wallClockAt(afterMs, timezone)));
  while (wall !== null) {
    const atMs = instantOfWallClock(wall.getTime(), timezone);
    // In the second pass of a repeated hour the first, to which the time belongs, is over.
    if (atMs !== undefined && atMs > afterMs) yield atMs;
    wall = clock.nextRun(wall);
  }
}

function* rateInstants(periodMs: number, afterMs: number, startMs: number | undefined): Generator<number> {
  const firstMs = startMs ?? afterMs;
  const periodsGone = startMs === undefined || startMs > afterMs ? 0 : Math.floor((afterMs - startMs) / periodMs) + 1;
  for (let atMs = firstMs + periodsGone * periodMs; atMs <= LAST_DATE_MS; atMs += periodMs) yield atMs;
}

/** The last instant that a Date can hold. */
const LAST_DATE_MS = 8_640_000_000_000_000;
