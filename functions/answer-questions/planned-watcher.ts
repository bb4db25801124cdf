import { closeRun, keysToClose, rowsToClose } from '#shared/ledger/close-run.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type RunRow, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { apply } from '../_runs/apply/apply.ts';
import { plannedStopCommand } from '../_runs/decide/decide-stop.ts';

/** What `watch-campaigns` does in a plan: it sends planned stops, and closes runs that plan none. */

/** A command of the watcher, and when it comes; in milliseconds since the epoch. */
export interface WatcherCommand {
  readonly atMs: number;
  readonly command: CampaignRunCommand;
}

/** Planned stops of the runs that are in flight when a plan begins, without those that need a person. */
export async function armedStops(
  runs: readonly Stored<RunRow>[],
  ledger: Pick<Ledger, 'readMany'>,
  now: Date,
): Promise<readonly WatcherCommand[]> {
  const planned = runs.flatMap((row) => plannedStopOf(row.campaignRunId, startOf(row), now.getTime()));
  const rows = await ledger.readMany(planned.map(({ command }) => ledgerKeys.command(command.id)));
  return planned.filter(({ command }) => {
    const row = rows.get(ledgerKeys.command(command.id));
    return row?.kind !== 'command' || row.outcome === undefined;
  });
}

/** The planned stop of a start, now if it is overdue; none if the start plans none. */
export function plannedStopOf(
  campaignRunId: string,
  start: SentStart | undefined,
  nowMs: number,
): readonly WatcherCommand[] {
  if (start?.plannedStop === undefined) return [];
  const { at } = start.plannedStop;
  const command = plannedStopCommand(campaignRunId, start.startId, at);
  return [{ atMs: Math.max(Date.parse(at), nowMs), command }];
}

/** The watcher sends a planned stop only if its start still plans it; a start of the same run may have sent it a moment before. */
export async function isStillPlanned(
  { id, plannedBy, campaignRunId = '' }: CampaignRunCommand,
  ledger: Pick<Ledger, 'read'>,
): Promise<boolean> {
  if (plannedBy === undefined) return true;
  const row = await ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
  const start = row && startOf(row);
  if (start?.startId === plannedBy.startId && start.plannedStop?.at === plannedBy.at) return true;
  return (await ledger.read<CommandRow>(ledgerKeys.command(id))) !== undefined;
}

/**
 * Closes a run if its `until` has passed and it plans no stop.
 * @returns whether it is idle now; a start without an outcome is never closed
 */
export async function closeIfOver(
  campaignRunId: string,
  ledger: Pick<Ledger, 'read' | 'readMany' | 'writeAll'>,
  now: Date,
): Promise<boolean> {
  const run = await ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
  if (run === undefined || startOf(run) === undefined) return true;
  const changes = closeRun(rowsToClose(run, await ledger.readMany(keysToClose(run))), now);
  return changes !== undefined && (await apply(changes, { ledger })) !== 'row-changed';
}
