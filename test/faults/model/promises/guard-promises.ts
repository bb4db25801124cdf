import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { Stage } from '../stage.ts';
import { processes } from '../stage-config.ts';

/**
 * I10: `status`, `history` and `stop --all-in-flight` list the runs that the guards count, and every
 * run of ours that is running is among them until its time is over. One sentence for each difference.
 */
export async function differingLists({ world }: Stage): Promise<readonly string[]> {
  const { ledger, time, gateway } = world;
  const listed = (await readRunsInFlight(ledger)).map(({ entry }) => `${entry.campaignRunId} by ${entry.startId}`);
  const targets = ledger.all().filter((row): row is typeof row & TargetRow => row.kind === 'target');
  const counted = targets.flatMap(({ runs }) =>
    runs.map(({ campaignRunId, startId }) => `${campaignRunId} by ${startId}`),
  );
  const [inList, inGuards] = [listed.toSorted().join(', '), counted.toSorted().join(', ')];
  const isDifferent = inList !== inGuards;
  const difference = `I10: listed in flight: ${inList || 'none'}; counted by guards: ${inGuards || 'none'}`;
  const unlisted = gateway.running().filter((id) => !inList.includes(id) && !mayBeUnlisted(id, world, time.nowMs()));
  return [...(isDifferent ? [difference] : []), ...unlisted.map((id) => `I10: ${id} is running and is in no list`)];
}

/** Its time is over, or the gateway said of it what is not so. */
function mayBeUnlisted(id: string, { ledger, gateway }: Stage['world'], nowMs: number): boolean {
  if (gateway.liedAbout.has(id)) return true;
  const { mostSkewMs } = processes.commands;
  const starts = ledger.all().filter((row) => row.kind === 'command' && row.campaignRunId === id);
  return starts.some((row) => row.kind === 'command' && Date.parse(row.facts?.endsAt ?? '') <= nowMs + mostSkewMs);
}
