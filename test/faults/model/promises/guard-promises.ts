import { reservationsAt } from '#shared/ledger/rows/guard-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { Stage } from '../stage.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { RunChange } from '../world/gateway-model.ts';
import { longestZombieMs } from '../world/gateway-model.ts';
import type { Played } from '../play.ts';
import { commandsOf } from '../sent-work.ts';
import { runIds, runsConfig } from '../stage-config.ts';

/** The runs of the campaign that says `overlap: 'skip'`, with how long each counts as in flight. */
const guarded: ReadonlyMap<string, number> = new Map([
  ...runIds.nightly.map((id): [string, number] => [id, inFlightMs('nightly')]),
  [runIds.smoke, inFlightMs('smoke')],
]);

/**
 * A start may take effect this much later than it was reserved: what a server works on it, and the
 * way to the gateway.
 */
const slackMs = longestZombieMs + 30_000;

/**
 * Of one campaign one run is in flight at a time. Each overlap is one sentence; what a person
 * ordered, a repeat or an override, may make one.
 */
export function overlaps(played: Played): readonly string[] {
  const ordered = new Set(
    commandsOf(played)
      .filter(({ command, repeats }) => repeats > 0 || command.override !== undefined)
      .flatMap(({ requestIds }) => [...requestIds]),
  );
  const sentences: string[] = [];
  const running = new Map<string, RunChange>();
  for (const change of played.stage.world.gateway.changes) {
    const { campaignRunId, atMs, isTransition, status, requestId } = change;
    if (!isTransition || !guarded.has(campaignRunId)) continue;
    running.delete(campaignRunId);
    if (status !== 'running' || ordered.has(requestId)) continue;
    for (const [other, start] of running) {
      if (atMs < start.atMs + (guarded.get(other) ?? 0) - slackMs) {
        sentences.push(
          `I11: ${campaignRunId} was started while ${other} ran since ${new Date(start.atMs).toISOString()}`,
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

/**
 * I10: `status`, `history` and `stop --all-in-flight` list exactly the runs that the guards count
 * as in flight. One sentence if they do not.
 */
export async function differingLists({ world }: Stage): Promise<readonly string[]> {
  const now = new Date(world.time.nowMs());
  const listed = (await readRunsInFlight(world.ledger, now)).map(
    ({ row, start }) => `${row.campaignRunId} by ${start.startId}`,
  );
  const counted = world.ledger
    .all()
    .filter((row) => row.kind === 'guard')
    .flatMap((row) => reservationsAt(row, now))
    .map(({ campaignRunId, startId }) => `${campaignRunId} by ${startId}`);
  const [inList, inGuards] = [listed.toSorted().join(', '), counted.toSorted().join(', ')];
  return inList === inGuards
    ? []
    : [`I10: listed in flight: ${inList || 'none'}; counted by guards: ${inGuards || 'none'}`];
}
