/**
 * When a schedule fires, as EventBridge Scheduler does it. Cron times are local: one that spring leaves out is skipped,
 * one that autumn repeats fires once, the first time. `rate()` counts fixed milliseconds from its start.
 */
import { cronClock } from './cron-expression.ts';
import type { ScheduleExpression } from './schedule-expression.ts';
import { instantOfWallClock, wallClockAt } from './time-zone.ts';

/** The life of a schedule. */
export interface ScheduleBounds {
  /** The first instant at which it may fire; a `rate()` fires exactly then. */
  readonly startDate?: Date | undefined;
  /** It fires before this instant, not at it. */
  readonly endDate?: Date | undefined;
}

/**
 * Every time after `from` (not at it) at which the schedule fires, in order, without end for most expressions. A `rate()`
 * without a `startDate` is taken as created at `from`: it fires then, and every period after.
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

/**
 * The next few fire times.
 *
 * @example nextFireTimes(expression, 'Europe/Dublin', new Date(), { count: 3 })
 */
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
    // In the second pass of a repeated hour the first pass, where the time belongs, is already over.
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
