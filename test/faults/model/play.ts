import { vi } from 'vitest';
import { differingLists } from './promises/guard-promises.ts';
import { createStage, type Stage, type StageOptions } from './stage.ts';
import { heal, playStep, type Step } from './steps.ts';
import { takeTimers } from './world/virtual-time.ts';

/** One history: what the world is like, and what happens. */
export interface Scenario extends StageOptions {
  readonly steps: readonly Step[];
}

/** A stage after its history. */
export interface Played {
  readonly stage: Stage;
  readonly scenario: Scenario;
  /** Whether all queues are empty, and no run is in flight. */
  readonly isDrained: boolean;
  /** When everything was healed; milliseconds since the epoch. */
  readonly healedMs: number;
  /** I10, after each step: what runs at the gateway, what `status` lists and what the guards count are not the same. */
  readonly listsThatDiffer: readonly string[];
  /** Effects of messages that came once more when all had ended. */
  readonly madeAgain: number;
}

/**
 * A day is the horizon of everything; what is left after that and its longest back-off never ends.
 */
const longestDrainMs = 30 * 3_600_000;

/** Plays the steps, heals whatever they broke, and waits until every queue is empty. */
export async function play(scenario: Scenario): Promise<Played> {
  const stage = createStage(scenario);
  takeTimers(stage.world.time, vi.stubGlobal);
  const listsThatDiffer: string[] = [];
  for (const [position, step] of scenario.steps.entries()) {
    await playStep(stage, step, position);
    listsThatDiffer.push(...(await differingLists(stage)));
  }
  return finish(stage, scenario, listsThatDiffer);
}

/** Heals what is broken, waits until everything has ended, and has each message come once more. */
export async function finish(stage: Stage, scenario: Scenario, differed: readonly string[] = []): Promise<Played> {
  heal(stage);
  const { gateway, queues, time } = stage.world;
  const healedMs = time.nowMs();
  const isDrained = await settle(stage);
  const listsThatDiffer = [...differed, ...(await differingLists(stage))];
  const made = () => gateway.datasets.length + gateway.effects().filter(({ by }) => by !== undefined).length;
  const before = made();
  for (const queue of Object.values(queues)) for (const place of queue.sent().keys()) queue.duplicate(place);
  await settle(stage);
  return { stage, scenario, isDrained, healedMs, listsThatDiffer, madeAgain: made() - before };
}

/** Runs until every queue is empty, no start is deferred, and every run in flight is stopped or counted out. */
async function settle({ world }: Stage): Promise<boolean> {
  const isOpen = () => [...world.rows.values()].some(({ openState = '' }) => /RUN_IN_FLIGHT|DEFERRED/.test(openState));
  return world.time.runUntil(() => isEmpty(world) && !isOpen(), longestDrainMs);
}

function isEmpty({ queues, deadLetters }: Stage['world']): boolean {
  return [...Object.values(queues), ...Object.values(deadLetters)].every((queue) => queue.size() === 0);
}
