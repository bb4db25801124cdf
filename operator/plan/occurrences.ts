import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { type IrregularTime, irregularTimes } from '#shared/schedule/time-zone.ts';
import { fireTimes, parseScheduleExpression, type ScheduleExpression } from '#shared/schedule/schedule-expression.ts';

/** When a schedule fires between two instants. */
export interface Occurrences {
  readonly schedule: DeployedSchedule;
  readonly at: readonly Date[];
}

/** Scheduler's placeholder for the instant of an occurrence. */
const scheduledTime = '<aws.scheduler.scheduled-time>';

/**
 * The occurrences of a schedule after `from`, up to `until`. Of one that is disabled, or whose next times only Scheduler knows, there are none.
 * @param most - no more than these; the rest is left out
 */
export function occurrencesOf(
  schedule: DeployedSchedule,
  { from, until, most }: { readonly from: Date; readonly until: Date; readonly most: number },
): Occurrences {
  const expression = expressionOf(schedule);
  if (expression === undefined || !schedule.isEnabled) return { schedule, at: [] };
  const at: Date[] = [];
  for (const instant of fireTimes(expression, schedule.timezone, from, boundsOf(schedule, expression) ?? neverAgain)) {
    if (instant > until || at.length === most) break;
    at.push(instant);
  }
  return { schedule, at };
}

/** Local times of a schedule between two instants that do not exist on their day, or come twice; of one that is disabled there are none. */
export function irregularTimesOf(schedule: DeployedSchedule, from: Date, until: Date): readonly IrregularTime[] {
  const expression = expressionOf(schedule);
  if (expression === undefined || !schedule.isEnabled) return [];
  return irregularTimes(expression, schedule.timezone, from, until);
}

/** The first times after an instant. */
export function nextOccurrence(schedule: DeployedSchedule, from: Date): Date | undefined {
  const expression = expressionOf(schedule);
  const bounds = expression && boundsOf(schedule, expression);
  if (expression === undefined || bounds === undefined) return undefined;
  for (const instant of fireTimes(expression, schedule.timezone, from, bounds)) return instant;
  return undefined;
}

/** What it sends at that instant, as Scheduler fills it in; `undefined` where it sends no command. */
export function commandAt({ input, targetArn }: DeployedSchedule, at: Date): unknown {
  if (targetArn.split(':')[2] === 'lambda') return undefined;
  const filled = input.replaceAll(scheduledTime, `${at.toISOString().slice(0, 19)}Z`);
  try {
    return JSON.parse(filled);
  } catch {
    return undefined;
  }
}

function expressionOf({ expression }: DeployedSchedule): ScheduleExpression | undefined {
  const parsed = parseScheduleExpression(expression);
  return parsed.ok ? parsed.value : undefined;
}

const neverAgain = { endDate: new Date(0) };

/** A rate without a start counts from about its creation; only Scheduler knows the instant. `undefined`: no instant is known. */
function boundsOf({ startDate, endDate, createdAt }: DeployedSchedule, { kind }: ScheduleExpression) {
  const begin = startDate ?? (kind === 'rate' ? createdAt : undefined);
  return kind === 'rate' && begin === undefined ? undefined : { startDate: begin, endDate };
}
