import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { Played } from '../play.ts';
import type { Stage } from '../stage.ts';
import { processes, readableRuns } from '../stage-config.ts';
import { runsSeenIn, type Stint } from '../stints.ts';

/**
 * I11: of one target one run is in flight at a time. Each overlap is one sentence; an override by a
 * person, or a stop that was refused, may make one.
 */
export function overlaps(played: Played): readonly string[] {
  const { stints, excused } = runsSeenIn(played);
  const guarded = stints
    .filter(({ campaignRunId }) => readableRuns.has(campaignRunId))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  return guarded.flatMap((later, position) => {
    if (later.by.command.override !== undefined) return [];
    const earlier = guarded.slice(0, position).find((one) => areTogether(one, later) && !isOrdered(one, excused));
    if (earlier === undefined) return [];
    const since = new Date(earlier.fromMs).toISOString();
    return [`I11: ${later.campaignRunId} began while ${earlier.campaignRunId} ran since ${since}`];
  });
}

function areTogether(one: Stint, later: Stint): boolean {
  return one.endMs > later.fromMs;
}

/** An override was judged before: it may begin later than what it overrode. */
function isOrdered({ campaignRunId, by }: Stint, excused: ReadonlySet<string>): boolean {
  return excused.has(campaignRunId) || by.command.override !== undefined;
}

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
