/**
 * The schedules of this run with their marks, and the one place that writes them down.
 *
 * After a restart a command's schedule catches up on what fell due in the last 24 hours: in AWS it
 * would not have been down. A watcher's schedule goes on with its next tick.
 */
import { dayMs, type Parsed, parseProblem } from '#shared/schedule/duration.ts';
import { fireTimes, parseScheduleExpression, type ScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { isTimeZone } from '#shared/schedule/time-zone.ts';
import {
  callsFunction,
  type LocalSchedule,
  readScheduleState,
  type ScheduleMark,
  type ScheduleState,
  writeScheduleState,
} from './local-schedule.ts';

/** A longer absence than Scheduler's own retry window is not caught up on. */
const CATCH_UP_MS = dayMs;

/** The schedules and what is remembered about them. */
export interface ScheduleBook {
  readonly entries: () => readonly ScheduleInTime[];
  /** Every occurrence of the schedule up to `until` is delivered, given up, or passed over. */
  readonly mark: (name: string, until: Date) => void;
  /** Takes the clock as it is now, also if the machine's was set back. */
  readonly take: (now: Date) => void;
  /** Throws if it cannot be computed, and changes nothing. */
  readonly add: (schedule: LocalSchedule, now: Date) => void;
  readonly remove: (name: string) => void;
}

/** What a book is opened with. */
export interface ScheduleBookOptions {
  readonly schedules: readonly LocalSchedule[];
  readonly stateFile: string;
  readonly log: (line: string) => void;
}

/**
 * Opens the state file for these schedules: new ones begin now, forgotten ones are forgotten. One
 * that cannot be computed is left out and named: it must not stop the others.
 */
export function openScheduleBook({ schedules, stateFile: file, log }: ScheduleBookOptions, now: Date): ScheduleBook {
  const known = readScheduleState(file);
  const entries = new Map<string, ScheduleInTime>();
  for (const schedule of schedules) {
    const read = readSchedule(schedule);
    if (read.ok)
      entries.set(schedule.Name, openEntry(schedule, read.value, { known: known.marks[schedule.Name], now }));
    else log(`Schedule ${schedule.Name} does not fire: ${read.problem}`);
  }

  const save = (): void => writeScheduleState(file, { marks: marksOf(entries.values()) });
  save();
  return {
    entries: () => [...entries.values()],
    mark(name, until) {
      const entry = entries.get(name);
      if (entry === undefined || entry.firedUntil >= until) return;
      entries.set(name, { ...entry, firedUntil: until });
      save();
    },
    take(at) {
      for (const [name, entry] of entries) entries.set(name, notAhead(entry, at));
    },
    add(schedule, at) {
      const read = readSchedule(schedule);
      if (!read.ok) throw new Error(`Schedule ${schedule.Name}: ${read.problem}`);
      entries.set(schedule.Name, openEntry(schedule, read.value, { now: at }));
      save();
    },
    remove(name) {
      entries.delete(name);
      save();
    },
  };
}

/** What the times of a schedule are computed from. */
type Timing = Pick<LocalSchedule, 'ScheduleExpression' | 'ScheduleExpressionTimezone' | 'StartDate' | 'EndDate'>;

/** Reads what the times of a schedule are computed from. A problem is one for which Scheduler refuses it. */
export function readSchedule({
  ScheduleExpression: expression,
  ScheduleExpressionTimezone: timezone,
  StartDate,
  EndDate,
}: Timing): Parsed<ScheduleExpression> {
  const read = parseScheduleExpression(expression);
  if (!read.ok) return read;
  if (!isTimeZone(timezone))
    return parseProblem(`"${timezone}" is not a time zone: write a name, such as Europe/Dublin.`);
  if ([StartDate, EndDate].some((date) => Number.isNaN(date?.getTime())))
    return parseProblem('StartDate and EndDate have to be times.');
  return read;
}

function openEntry(
  schedule: LocalSchedule,
  expression: ScheduleExpression,
  { known, now }: { readonly known?: ScheduleMark | undefined; readonly now: Date },
): ScheduleInTime {
  if (known?.signature !== signatureOf(schedule)) {
    // To the second, as scheduled-time is; one millisecond earlier, so that a rate() fires at its
    // creation.
    const createdAt = new Date(Math.floor(now.getTime() / 1000) * 1000);
    return { schedule, expression, createdAt, firedUntil: new Date(createdAt.getTime() - 1) };
  }
  const firedUntilMs = Date.parse(known.firedUntil);
  const fromMs = callsFunction(schedule) ? now.getTime() : now.getTime() - CATCH_UP_MS;
  const firedUntil = new Date(Math.max(firedUntilMs, fromMs));
  return notAhead({ schedule, expression, createdAt: new Date(known.createdAt), firedUntil }, now);
}

/** A clock that is corrected by less has an occurrence delivered once. */
const CLOCK_STEP_MS = 60_000;

/** A schedule cannot have fired later than now. If it has, the clock was set back, and it fires from now on. */
function notAhead(entry: ScheduleInTime, now: Date): ScheduleInTime {
  if (entry.firedUntil.getTime() - now.getTime() < CLOCK_STEP_MS) return entry;
  return { ...entry, createdAt: new Date(Math.min(entry.createdAt.getTime(), now.getTime())), firedUntil: now };
}

function signatureOf(schedule: LocalSchedule): string {
  const { ScheduleExpression, ScheduleExpressionTimezone, StartDate, EndDate, State } = schedule;
  const dates = [StartDate, EndDate].map((date) => date?.toISOString() ?? '');
  return [ScheduleExpression, ScheduleExpressionTimezone, ...dates, State].join(' ');
}

function marksOf(entries: Iterable<ScheduleInTime>): ScheduleState['marks'] {
  const marks: ScheduleState['marks'] = {};
  for (const { schedule, createdAt, firedUntil } of entries) {
    marks[schedule.Name] = {
      signature: signatureOf(schedule),
      createdAt: createdAt.toISOString(),
      firedUntil: firedUntil.toISOString(),
    };
  }
  return marks;
}

// Which occurrences are due, in which order. Pure.
// A schedule that sends to a queue is a command: every occurrence counts, each with its own id. A
// schedule that calls a function is a watcher and looks at the present. So of several ticks that
// fall due together only the last one is called.

/** A schedule with its expression read and its place in time. */
export interface ScheduleInTime {
  readonly schedule: LocalSchedule;
  readonly expression: ScheduleExpression;
  /** A `rate()` without a start date beats from here. */
  readonly createdAt: Date;
  /** Occurrences up to this instant are done with. */
  readonly firedUntil: Date;
}

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
    (a, b) => a.scheduledTime.getTime() - b.scheduledTime.getTime() || (a.schedule.Name < b.schedule.Name ? -1 : 1),
  );
}

/** The first time at which the schedule fires after what it has fired. */
export function nextInBook(entry: ScheduleInTime): Date | undefined {
  return upcoming(entry, entry.firedUntil).next().value ?? undefined;
}

function timesUpTo(entry: ScheduleInTime, until: Date): Date[] {
  const times: Date[] = [];
  for (const at of upcoming(entry, entry.firedUntil)) {
    if (at > until) break;
    times.push(at);
  }
  return times;
}

function* upcoming({ schedule, expression, createdAt }: ScheduleInTime, after: Date): Generator<Date, void, undefined> {
  if (schedule.State === 'DISABLED') return;
  const startDate = schedule.StartDate ?? (expression.kind === 'rate' ? createdAt : undefined);
  yield* fireTimes(expression, schedule.ScheduleExpressionTimezone, after, { startDate, endDate: schedule.EndDate });
}
