import { durationMs } from '../../../shared/schedule/duration.ts';
import type { RunChange } from './gateway-model.ts';
import { longestZombieMs } from './gateway-model.ts';
import type { Played } from './play.ts';
import { commandsOf } from './sent-work.ts';
import { runIds, runsConfig } from './stage-config.ts';

/** The runs of the campaign that says `overlap: 'skip'`, with how long each counts as in flight. */
const guarded: ReadonlyMap<string, number> = new Map([
  ...runIds.nightly.map((id): [string, number] => [id, inFlightMs('nightly')]),
  [runIds.smoke, inFlightMs('smoke')],
]);

/** A start may take effect this much later than it was reserved: what a server works on it, and the way to the gateway. */
const slackMs = longestZombieMs + 30_000;

/** Of one campaign one run is in flight at a time. Each overlap is one sentence; a repeat that a person ordered may make one. */
export function overlaps(played: Played): readonly string[] {
  const repeated = new Set(
    commandsOf(played)
      .filter(({ repeats }) => repeats > 0)
      .flatMap(({ requestIds }) => [...requestIds]),
  );
  const sentences: string[] = [];
  const running = new Map<string, RunChange>();
  for (const change of played.stage.world.gateway.changes) {
    const { campaignRunId, atMs, isTransition, status, requestId } = change;
    if (!isTransition || !guarded.has(campaignRunId)) continue;
    running.delete(campaignRunId);
    if (status !== 'running' || repeated.has(requestId)) continue;
    for (const [other, start] of running) {
      if (atMs < start.atMs + (guarded.get(other) ?? 0) - slackMs) {
        sentences.push(
          `guard: ${campaignRunId} was started while ${other} ran since ${new Date(start.atMs).toISOString()}`,
        );
      }
    }
    running.set(campaignRunId, change);
  }
  return sentences;
}

function inFlightMs(run: string): number {
  const { stopAfter, guards } = runsConfig.runs[run] ?? {};
  return durationMs(stopAfter ?? guards?.longestRun ?? '') ?? 0;
}
