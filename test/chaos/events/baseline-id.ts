import { hash } from 'node:crypto';
import { type ChaosRun, runOfUploads } from './automation-document.ts';
import type { PlannedCommand } from './command-events.ts';

/**
 * The id that a plain worker without a memory takes for a start: always the same one of the run's
 * list. Which run a stop by name is about it cannot know.
 */
export function idAtHand(id: string, campaignRunIds: readonly string[]): string | undefined {
  const place = Number.parseInt(hash('sha256', id).slice(0, 8), 16) % Math.max(1, campaignRunIds.length);
  return campaignRunIds[place];
}

/** The id that a plain worker uses for a planned command. */
export function idOfBaseline({ id, action, target }: PlannedCommand, runs: readonly ChaosRun[]): string | undefined {
  if (target.campaignRunId !== undefined) return target.campaignRunId;
  const run = [...runs, runOfUploads].find(({ name }) => name === target.run);
  return action === 'stop' || run === undefined ? undefined : idAtHand(id, run.campaignRunIds);
}
