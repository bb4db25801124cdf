/** The campaign run ids that are left, and until which night they last. */
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { suppliesAnswer, type SuppliesAnswer, suppliesQuestion } from '#shared/messages/questions.ts';
import { occurrencesOf, scheduledCommand } from './schedule-occurrences.ts';
import { askStage } from '../stage/ask-stage.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** The unused ids of a run. */
export interface IdsLeft extends Pick<SuppliesAnswer['bindings'][number], 'run' | 'left' | 'isLow' | 'pool'> {
  /**
   * The last start of its schedules that finds an id. Absent if no schedule starts the run, or if the ids last for over a year. Starts by
   * people, uploads and changes use ids up earlier.
   */
  readonly lastsUntil?: string;
}

/** What the stage has used up, with the nights until which its ids last. */
export interface Supplies extends Omit<SuppliesAnswer, 'bindings'> {
  readonly bindings: readonly IdsLeft[];
}

/** Asks the stage for its supplies. */
export async function readSupplies(
  schedules: readonly DeployedSchedule[],
  now: Date,
  deps: AskingDeps,
): Promise<Supplies> {
  const { bindings, ...rest } = await askStage(suppliesQuestion, suppliesAnswer, deps);
  return { ...rest, bindings: bindings.map((one) => ({ ...one, lastsUntil: lastNight(one, schedules, now) })) };
}

/** No one fills a pool for longer. */
const longestMs = 400 * dayMs;
const mostCounted = 1000;

function lastNight(
  { run, left }: SuppliesAnswer['bindings'][number],
  schedules: readonly DeployedSchedule[],
  now: Date,
): string | undefined {
  if (left === 0 || left > mostCounted) return undefined;
  const range = { from: now, until: new Date(now.getTime() + longestMs), most: left };
  const starts = schedules.filter((schedule) => {
    const command = scheduledCommand(schedule, now);
    return command?.action === 'start' && command.run === run;
  });
  const nights = starts.flatMap((schedule) => occurrencesOf(schedule, range).at).toSorted((a, b) => +a - +b);
  return nights[left - 1]?.toISOString();
}
