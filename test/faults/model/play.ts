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
  heal(stage);
  const healedMs = stage.world.time.nowMs();
  const isDrained = await settle(stage);
  listsThatDiffer.push(...(await differingLists(stage)));
  return { stage, scenario, isDrained, healedMs, listsThatDiffer };
}

/** Runs until every queue is empty. */
export async function drain({ world }: Stage): Promise<boolean> {
  return world.time.runUntil(() => isEmpty(world), longestDrainMs);
}

/** Runs until every queue is empty and every run in flight is stopped or counted out. */
export async function settle({ world }: Stage): Promise<boolean> {
  const isInFlight = () => [...world.rows.values()].some(({ openState }) => openState === 'RUN_IN_FLIGHT');
  return world.time.runUntil(() => isEmpty(world) && !isInFlight(), longestDrainMs);
}

function isEmpty({ queues, deadLetters }: Stage['world']): boolean {
  return [...Object.values(queues), ...Object.values(deadLetters)].every((queue) => queue.size() === 0);
}
