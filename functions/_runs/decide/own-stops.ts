/** The stops that the workers of the stage send: each ends the run of one start, and no other. Pure. */
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';

/** The planned stop of a run in flight. It is the same command each time. */
export function plannedStopOf(entry: InFlight): CampaignRunCommand {
  const { startId, endsAt } = entry;
  const says = { issuedAt: endsAt, reason: 'planned by its start' };
  return { ...stopOf(entry, 'watch-campaigns'), id: commandIds.plannedStop(startId), ...says };
}

/**
 * The stop of a run that has to end before its time. One run gets at most one, from all senders.
 */
export function endOf(
  entry: InFlight,
  now: Date,
  reason: string,
  by: 'update-campaign-runs' | 'watch-campaigns' = 'update-campaign-runs',
): CampaignRunCommand {
  return { ...stopOf(entry, by), id: commandIds.end(entry.startId), issuedAt: now.toISOString(), reason };
}

function stopOf({ startId, campaignRunId }: InFlight, name: string) {
  return { version: 1, action: 'stop', campaignRunId, startId, origin: { kind: 'watcher', name } } as const;
}
