/** How many unused runs are kept ready for a run that Autopilot makes runs of. Pure. */
import { nextFireTimes, parseScheduleExpression } from '../../schedule/schedule-expression.ts';
import { mostReady } from '../schema/campaign-schema.ts';
import type { ResolvedSchedule } from './resolved-automation.ts';
import { dayMs } from '../../schedule/duration.ts';

/** Uploads, changes and people start it too, at no time that is known. */
const leastReady = 5;
const nightsMs = 14 * dayMs;
const spare = 2;

/** What the schedules of a run start in any 14 nights to come, and two more. */
export function readyFor(run: string, schedules: readonly ResolvedSchedule[], now: Date): number {
  const starts = schedules.filter((one) => one.run === run && one.action === 'start' && one.enabled);
  const needed = starts.reduce((sum, schedule) => sum + mostOf(schedule, now), spare);
  return Math.min(mostReady, Math.max(leastReady, needed));
}

/** Its occurrences in the fullest 14 nights among those to come. */
function mostOf({ expression, timezone, startDate }: ResolvedSchedule, now: Date): number {
  const parsed = parseScheduleExpression(expression);
  if (!parsed.ok) return 0;
  const from = startDate === undefined ? undefined : new Date(startDate);
  const times = nextFireTimes(parsed.value, timezone, now, { count: mostReady, startDate: from }).map(Number);
  return Math.max(
    0,
    ...times.map((at, index) => times.filter((one, other) => other >= index && one < at + nightsMs).length),
  );
}
