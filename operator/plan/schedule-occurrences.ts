import * as z from 'zod';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { Previewed } from '#shared/messages/questions.ts';
import { blackoutWindows, type ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { fireTimes, parseScheduleExpression, type ScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { filledInput } from '#shared/schedule/scheduler-input.ts';
import { type IrregularTime, irregularTimes } from '#shared/schedule/clock-changes.ts';
import { jsonIn } from '#shared/text/json-in.ts';

/** When a schedule fires between two instants. */
export interface Occurrences {
  readonly schedule: DeployedSchedule;
  readonly at: readonly Date[];
}

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

/**
 * Local times of a schedule between two instants that do not exist on their day, or come twice. A
 * disabled schedule has none.
 */
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

/** What it sends at that instant, as Scheduler fills it in; `undefined` if it sends no command. */
export function commandAt({ input, targetArn }: DeployedSchedule, at: Date): unknown {
  return targetArn.split(':')[2] === 'lambda' ? undefined : jsonIn(filledInput(input, { at }));
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

/** How the run of a planned start ends: a scheduled stop may come before the stop that it plans. */
export interface PlannedEnd {
  readonly endsAt: string;
  readonly endsBy: PlannedEndBy;
}

/** `itself`: nothing stops it, and the stage counts it as over from then on. */
type PlannedEndBy =
  | { readonly kind: 'planned-stop' }
  | { readonly kind: 'stop'; readonly commandId: string; readonly askedBy: Previewed['origin'] }
  | { readonly kind: 'itself' };

/**
 * The commands of a plan, each applied start with the end of its run.
 * @param until - the plan knows nothing of what comes later: a run that goes on until then has no end here
 */
export function withEnds(commands: readonly Previewed[], until: Date): readonly (Previewed & Partial<PlannedEnd>)[] {
  return commands.map((command, index) => ({ ...command, ...endOf(command, commands.slice(index + 1), until) }));
}

function endOf(start: Previewed, later: readonly Previewed[], until: Date): PlannedEnd | undefined {
  const { action, outcome, campaignRunId, inFlightUntil, stopDueAt } = start;
  if (action !== 'start' || outcome !== 'applied' || campaignRunId === undefined) return undefined;
  const ending = later.find(
    (one) => one.outcome === 'applied' && (one.campaignRunId === campaignRunId || one.ends?.includes(campaignRunId)),
  );
  // A run with a planned stop goes on until it is stopped.
  const overMs = stopDueAt === undefined ? Date.parse(inFlightUntil ?? '') : Number.NaN;
  const isOver = overMs <= Math.min(until.getTime(), Date.parse(ending?.at ?? until.toISOString()));
  if (isOver && inFlightUntil !== undefined) return { endsAt: inFlightUntil, endsBy: { kind: 'itself' } };
  return ending && { endsAt: ending.at, endsBy: endedBy(start, ending) };
}

/** A planned stop is shown under the id of the start that plans it. */
function endedBy(start: Previewed, { id, origin }: Previewed): PlannedEndBy {
  return id === start.id ? { kind: 'planned-stop' } : { kind: 'stop', commandId: id, askedBy: origin };
}

/** A blackout, once for each time that it covers. */
export interface PlannedBlackout extends Pick<ResolvedBlackout, 'name' | 'starts' | 'campaigns'> {
  readonly from: string;
  /** The first instant that it does not cover any more. */
  readonly until: string;
}

/** The blackouts that cover a part of a range, by their beginning. */
export function plannedBlackouts(
  blackouts: readonly ResolvedBlackout[],
  range: { readonly from: Date; readonly until: Date },
): readonly PlannedBlackout[] {
  return blackouts
    .flatMap((blackout) => {
      const { name, starts, campaigns } = blackout;
      return blackoutWindows(blackout, range).map(({ from, until }) => ({
        name,
        starts,
        campaigns,
        from: from.toISOString(),
        until: until.toISOString(),
      }));
    })
    .toSorted((a, b) => a.from.localeCompare(b.from));
}

const runCommand = z.object({ action: z.enum(['start', 'stop']), run: z.string().optional() });

/** What a schedule asks for; `undefined` if it sends no command. Pure. */
export function scheduledCommand(schedule: DeployedSchedule, now: Date): z.infer<typeof runCommand> | undefined {
  return runCommand.safeParse(commandAt(schedule, now)).data;
}
