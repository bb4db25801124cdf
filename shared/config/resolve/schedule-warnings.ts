import { coveredUntil } from '../../schedule/blackouts.ts';
import { irregularTimes } from '../../schedule/clock-changes.ts';
import { dayMs, durationMs } from '../../schedule/duration.ts';
import { nextFireTimes, parseScheduleExpression, type ScheduleExpression } from '../../schedule/schedule-expression.ts';
import { type ConfigProblem, problemAt } from '../schema/names.ts';
import type { ResolvedAutomation, ResolvedSchedule } from './resolved-automation.ts';

/** Thirteen months hold every change of the clocks and every yearly occurrence. */
const horizonMs = 396 * dayMs;
/** Enough to see a pattern; a schedule of every minute is not walked through a year. */
const mostOccurrences = 800;

/** A schedule with its occurrences ahead. */
interface Ahead {
  readonly schedule: ResolvedSchedule;
  readonly path: readonly PropertyKey[];
  readonly expression: ScheduleExpression;
  readonly times: readonly Date[];
}

/**
 * Schedules that will not do what they seem to say, each with the first date on which that shows.
 */
export function scheduleWarnings(automation: ResolvedAutomation, now: Date): ConfigProblem[] {
  const ahead = automation.schedules.flatMap((schedule, index): Ahead[] => {
    const expression = parseScheduleExpression(schedule.expression);
    if (!expression.ok || !schedule.enabled) return [];
    const path = ['schedules', index, 'at'];
    return [{ schedule, path, expression: expression.value, times: occurrences(schedule, expression.value, now) }];
  });
  const starts = ahead.filter(({ schedule }) => schedule.action === 'start');
  return [
    ...ahead.flatMap((one) => clockWarnings(one, now)),
    ...starts.flatMap((one) => swallowed(one, automation)),
    ...starts.flatMap((one) => overlapping(one, ahead, automation)),
    ...automation.schedules.flatMap((schedule, index) => shortRuns(schedule, index, automation)),
  ];
}

function occurrences(schedule: ResolvedSchedule, expression: ScheduleExpression, now: Date): readonly Date[] {
  return nextFireTimes(expression, schedule.timezone, now, {
    count: mostOccurrences,
    startDate: schedule.startDate === undefined ? undefined : new Date(schedule.startDate),
    endDate: new Date(now.getTime() + horizonMs),
  });
}

function clockWarnings({ schedule, path, expression }: Ahead, now: Date): ConfigProblem[] {
  const found = irregularTimes(expression, schedule.timezone, now, new Date(now.getTime() + horizonMs));
  return (['skipped', 'repeated'] as const).flatMap((kind) => {
    const times = found.filter((time) => time.kind === kind).map(({ local }) => local);
    if (times.length === 0) return [];
    const what =
      kind === 'skipped'
        ? 'the clocks go forward over this time, so it does not fire'
        : 'the clocks go back over this time, so it comes twice and fires the first time only';
    return [problemAt(path, `${what} on ${listed(times)} (${schedule.timezone}).`)];
  });
}

const mostDates = 3;

function listed(times: readonly string[]): string {
  const more = times.length - mostDates;
  return `${times.slice(0, mostDates).join(', ')}${more > 0 ? ` and ${more} more times` : ''}`;
}

/** A schedule of which every occurrence ahead falls into a blackout that skips. */
function swallowed({ schedule, path, times }: Ahead, { blackouts, runs }: ResolvedAutomation): ConfigProblem[] {
  const campaign = runs[schedule.run]?.campaign;
  const skipping = blackouts.filter(
    ({ starts, campaigns }) =>
      starts === 'skip' && (campaigns === undefined || (campaign !== undefined && campaigns.includes(campaign))),
  );
  const covering = times.map((at) => skipping.find((blackout) => coveredUntil(blackout, at) !== undefined));
  if (times.length === 0 || covering.includes(undefined)) return [];
  const names = [...new Set(covering.map((blackout) => blackout?.name))].join(', ');
  return [problemAt(path, `every start ahead falls into a blackout (${names}): nothing is ever started.`)];
}

/** A start that is late by its whole `validFor` begins a lead later, and its planned stop does not move. */
function shortRuns(
  { action, enabled, run: name, validFor = '' }: ResolvedSchedule,
  index: number,
  { runs, gateway: { startLead } }: ResolvedAutomation,
): ConfigProblem[] {
  const stopAfter = runs[name]?.stopAfter;
  const lateMs = (durationMs(validFor) ?? 0) + (durationMs(startLead) ?? 0);
  if (action !== 'start' || !enabled || stopAfter === undefined || (durationMs(stopAfter) ?? 0) > lateMs) return [];
  const message = `${validFor} and gateway.startLead (${startLead}) are not shorter than the stopAfter of ${name} (${stopAfter}): a late start has its planned stop at once. Write a shorter validFor.`;
  return [problemAt(['schedules', index, 'validFor'], message)];
}

/** A planned stop that is due within this of the next start is waited for. */
const backToBackMs = 60_000;

/**
 * A start while the previous run is in flight is skipped, or waits for a planned stop. This is
 * found if no stop is scheduled between.
 */
function overlapping(
  { schedule, path, times }: Ahead,
  all: readonly Ahead[],
  { runs, gateway }: ResolvedAutomation,
): ConfigProblem[] {
  const run = runs[schedule.run];
  if (run?.guards.overlap !== 'skip') return [];
  const delayMs = durationMs(schedule.startDelay ?? 'PT0S') ?? 0;
  const lasts = run.stopAfter ?? run.guards.longestRun ?? '';
  const lastsMs = durationMs(lasts) ?? 0;
  const stops = all
    .filter((other) => other.schedule.action === 'stop' && other.schedule.run === schedule.run)
    .flatMap((other) => other.times.map((at) => at.getTime()));
  /**
   * How long the run of the start before is still in flight; negative: how long it has been over.
   */
  const leftMs = (at: Date, index: number): number | undefined => {
    const previous = times[index - 1];
    if (previous === undefined) return undefined;
    const began = previous.getTime() + delayMs;
    return stops.some((stop) => stop > began && stop < at.getTime()) ? undefined : began + lastsMs - at.getTime();
  };
  const leadMs = durationMs(gateway.startLead) ?? 0;
  const waitsMs = run.stopAfter === undefined ? 0 : Math.max(backToBackMs, delayMs, leadMs);
  const skipped = times.find((at, index) => (leftMs(at, index) ?? 0) > waitsMs);
  if (skipped !== undefined) {
    const what = `the run of the start before is in flight for ${lasts} and no stop is scheduled between`;
    return [problemAt(path, `${what}: the start of ${skipped.toISOString()} will be skipped.`)];
  }
  const waiting = times.find(
    (at, index) => run.stopAfter !== undefined && (leftMs(at, index) ?? -Infinity) >= -backToBackMs,
  );
  if (waiting === undefined) return [];
  const what = `stopAfter ${lasts} ends as the run of the start of ${waiting.toISOString()} begins`;
  const message = `${what}: the planned stop goes out first and the start waits for it (back to back is no overlap); a shorter stopAfter avoids the wait.`;
  return [problemAt(path, message)];
}
