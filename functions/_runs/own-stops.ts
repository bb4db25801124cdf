/** The stops that the workers of the stage send: each ends the run of one start, and no other. Pure. */
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';

/** The planned stop of a run in flight. It is the same command each time. */
export function plannedStopOf({ startId, campaignRunId, endsAt }: InFlight): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.plannedStop(startId),
    action: 'stop',
    campaignRunId,
    startId,
    issuedAt: endsAt,
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    reason: `planned by its start (${startId}) for ${endsAt}`,
  };
}

/** The stop of a run that has to end before its time. */
export function endOf({ startId, campaignRunId }: InFlight, now: Date, reason: string): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.end(startId),
    action: 'stop',
    campaignRunId,
    startId,
    issuedAt: now.toISOString(),
    origin: { kind: 'watcher', name: 'update-campaign-runs' },
    reason,
  };
}

/** The stop of a run whose campaign an alarm holds: the same command as any other that ends it early. So one run gets at most one. */
export function haltOf(entry: InFlight, now: Date, reason: string): CampaignRunCommand {
  return { ...endOf(entry, now, reason), origin: { kind: 'watcher', name: 'watch-campaigns' } };
}
