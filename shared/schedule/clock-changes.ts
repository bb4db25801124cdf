/** What becomes of the local times of a schedule when the clocks of its zone are changed. Pure. */
import { cronClock } from './cron-expression.ts';
import type { ScheduleExpression } from './schedule-expression.ts';
import { wallClockAt } from './time-zone.ts';
import { dayMs } from './duration.ts';

/** A local time of a schedule that does not exist on its day, or comes twice. */
export interface IrregularTime {
  /** `skipped`: it does not fire that day. `repeated`: it fires once, the first time. */
  readonly kind: 'skipped' | 'repeated';
  /** As the wall shows it: `2027-03-28 01:30`. */
  readonly local: string;
}

/**
 * The local times at which a schedule would fire and the clocks of its zone are changed, in order.
 * As AWS does it: spring's missing time is skipped, autumn's repeated one fires once.
 */
export function irregularTimes(
  expression: ScheduleExpression,
  timezone: string,
  from: Date,
  to: Date,
): readonly IrregularTime[] {
  if (expression.kind === 'rate') return [];
  return clockChanges(timezone, from.getTime(), to.getTime()).flatMap(({ kind, wallFrom, wallTo }) =>
    wallTimes(expression, wallFrom, wallTo).map((wallMs) => ({ kind, local: localText(wallMs) })),
  );
}

/** When the clocks skip one of the local times of a schedule, in order. */
export function changesThatSkip(
  expression: ScheduleExpression,
  timezone: string,
  from: Date,
  to: Date,
): readonly Date[] {
  return clockChanges(timezone, from.getTime(), to.getTime())
    .filter(({ kind, at }) => kind === 'skipped' && at <= to.getTime())
    .filter(({ wallFrom, wallTo }) => wallTimes(expression, wallFrom, wallTo).length > 0)
    .map(({ at }) => new Date(at));
}

/** How the clocks go forward over the time of an `at()`; `undefined` if that time exists. @example '01:00 to 02:00' */
export function clockGap(expression: ScheduleExpression, timezone: string): string | undefined {
  if (expression.kind !== 'at') return undefined;
  const { wallMs } = expression;
  const gap = clockChanges(timezone, wallMs - dayMs, wallMs + dayMs).find(
    ({ kind, wallFrom, wallTo }) => kind === 'skipped' && wallFrom <= wallMs && wallMs < wallTo,
  );
  return gap && [gap.wallFrom, gap.wallTo].map((wall) => localText(wall).slice(-5)).join(' to ');
}

interface ClockChange {
  readonly kind: IrregularTime['kind'];
  /** The first instant of the new offset. */
  readonly at: number;
  /** Wall clocks that are left out or come twice; the end is not included. */
  readonly wallFrom: number;
  readonly wallTo: number;
}

function clockChanges(timezone: string, fromMs: number, toMs: number): ClockChange[] {
  const changes: ClockChange[] = [];
  for (let dayAt = fromMs; dayAt < toMs; dayAt += dayMs) {
    const [before, after] = [offsetAt(dayAt, timezone), offsetAt(dayAt + dayMs, timezone)];
    if (before === after) continue;
    const instant = changeBetween(dayAt, dayAt + dayMs, timezone);
    const [wallBefore, wallAfter] = [instant + before, instant + after];
    changes.push(
      after > before
        ? { kind: 'skipped', at: instant, wallFrom: wallBefore, wallTo: wallAfter }
        : { kind: 'repeated', at: instant, wallFrom: wallAfter, wallTo: wallBefore },
    );
  }
  return changes;
}

/** The first instant of the new offset, by halving: one change a day at most. */
function changeBetween(fromMs: number, toMs: number, timezone: string): number {
  const before = offsetAt(fromMs, timezone);
  let [low, high] = [fromMs, toMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, timezone) === before) low = middle;
    else high = middle;
  }
  return high;
}

function offsetAt(instantMs: number, timezone: string): number {
  return wallClockAt(instantMs, timezone) - instantMs;
}

function wallTimes(expression: ScheduleExpression, wallFrom: number, wallTo: number): number[] {
  if (expression.kind === 'rate') return [];
  if (expression.kind === 'at') {
    return wallFrom <= expression.wallMs && expression.wallMs < wallTo ? [expression.wallMs] : [];
  }
  const clock = cronClock(expression.pattern);
  const times: number[] = [];
  let wall = clock.nextRun(new Date(wallFrom - 1000));
  while (wall !== null && wall.getTime() < wallTo) {
    times.push(wall.getTime());
    wall = clock.nextRun(wall);
  }
  return times;
}

function localText(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 16).replace('T', ' ');
}
