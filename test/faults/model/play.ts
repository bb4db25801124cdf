import { vi } from 'vitest';
import { differingLists } from './promises/guard-promises.ts';
import { createStage, type Stage } from './stage.ts';
import { heal, playStep, type Step } from './steps.ts';
import { takeTimers } from './world/virtual-time.ts';
import type { WorldOptions } from './world/world.ts';

/** One history: what the world is like, and what happens. */
export interface Scenario extends WorldOptions {
  readonly steps: readonly Step[];
}

/** A stage after its history. */
export interface Played {
  readonly stage: Stage;
  readonly scenario: Scenario;
  /** Whether all queues are empty. */
  readonly isDrained: boolean;
  /**
   * I10, after each step: what `status` lists as in flight, and what the guards count, are not the
   * same.
   */
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
  const isDrained = await drain(stage);
  listsThatDiffer.push(...(await differingLists(stage)));
  return { stage, scenario, isDrained, listsThatDiffer };
}

/** Runs until every queue is empty. */
export async function drain({ world }: Stage): Promise<boolean> {
  const queues = [...Object.values(world.queues), ...Object.values(world.deadLetters)];
  return world.time.runUntil(() => queues.every((queue) => queue.size() === 0), longestDrainMs);
}
