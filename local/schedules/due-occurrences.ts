/**
 * Which occurrences are due, in which order. Pure.
 *
 * A schedule that sends to a queue is a command: every occurrence counts, each with its own id. A schedule that calls a
 * function is a watcher: it looks at how things are now, so of several ticks that fall due together only the last one
 * is called.
 */
import { fireTimes } from '#shared/schedule/fire-times.ts';
import type { ScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { callsFunction } from './local-schedule.ts';
import type { LocalSchedule } from './local-schedule.ts';

/** A schedule with its expression read and its place in time. */
export interface ScheduleInTime {
  readonly schedule: LocalSchedule;
  readonly expression: ScheduleExpression;
  /** A `rate()` without a start date beats from here. */
  readonly createdAt: Date;
  /** Occurrences up to this instant are done with. */
  readonly firedUntil: Date;
}

/** An occurrence that is due. */
export interface DueOccurrence {
  readonly schedule: LocalSchedule;
  readonly scheduledTime: Date;
}

/** The occurrences due at `until`, by time, then by name. */
export function dueOccurrences(schedules: Iterable<ScheduleInTime>, until: Date): readonly DueOccurrence[] {
  const due: DueOccurrence[] = [];
  for (const entry of schedules) {
    const times = timesUpTo(entry, until);
    const kept = callsFunction(entry.schedule) ? times.slice(-1) : times;
    for (const scheduledTime of kept) due.push({ schedule: entry.schedule, scheduledTime });
  }
  return due.sort(
    (a, b) => a.scheduledTime.getTime() - b.scheduledTime.getTime() || (a.schedule.name < b.schedule.name ? -1 : 1),
  );
}

/** The first time at which the schedule fires after what it has fired. */
export function nextOccurrence(entry: ScheduleInTime): Date | undefined {
  return upcoming(entry, entry.firedUntil).next().value ?? undefined;
}

/** The next few times after `from`, for people. */
export function nextOccurrences(entry: ScheduleInTime, from: Date, count: number): readonly Date[] {
  const times: Date[] = [];
  if (count <= 0) return times;
  for (const at of upcoming(entry, from)) {
    times.push(at);
    if (times.length >= count) break;
  }
  return times;
}

function timesUpTo(entry: ScheduleInTime, until: Date): Date[] {
  const times: Date[] = [];
  for (const at of upcoming(entry, entry.firedUntil)) {
    if (at > until) break;
    times.push(at);
  }
  return times;
}

function upcoming({ schedule, expression, createdAt }: ScheduleInTime, after: Date): Generator<Date, void, undefined> {
  if (schedule.state === 'DISABLED') return noTimes();
  const startDate = schedule.startDate ?? (expression.kind === 'rate' ? createdAt : undefined);
  return fireTimes(expression, schedule.timezone, after, { startDate, endDate: schedule.endDate });
}

function* noTimes(): Generator<Date, void, undefined> {
  // a disabled schedule has none
}
