import { ledgerKeys, type Reservation, type RunItem } from '../../shared/ledger/items.ts';
import type { Judgement } from '../../shared/guards/start-question.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { commandIds } from '../../shared/messages/command-ids.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { later, type Outcome } from '../_runtime/outcome.ts';
import { shortWaitMs } from './before-call.ts';
import { skipped } from './conclude.ts';
import type { CommandResult, CommandWork, UpdateDeps } from './deps.ts';
import { giveUp } from './end-start.ts';
import { hasPendingStop } from './run-rows.ts';
import type { Start } from './start-reservation.ts';
import { stopRun } from './stop-run.ts';

/** A stop takes seconds, or as long as the gateway is down: it is not asked about more often than this. */
const longestRoomWaitMs = 30_000;

/**
 * `overlap: 'stop-previous'`: has the runs in flight stopped by a command of their own, and comes back. The start is judged anew each time, so
 * that it waits no longer than it is valid.
 */
export async function stopPrevious(
  start: Start,
  { stopFirst, verdicts }: Extract<Judgement, { kind: 'apply' }>,
): Promise<CommandResult> {
  const { work, deps, campaignRunId } = start;
  const stopped: Outcome[] = [];
  for (const previous of stopFirst) {
    const row = await deps.ledger.read<RunItem>(ledgerKeys.run(previous.campaignRunId));
    const stop = stopOf(previous, work.command);
    if (row?.refusedStop === stop.id) {
      const detail = `run ${previous.campaignRunId} is in flight and its stop (${stop.id}) was not applied`;
      return giveUp(start, { ...skipped('OVERLAP', detail, campaignRunId), verdicts });
    }
    if (row === undefined || !isToBeStopped(row, previous)) continue;
    const { outcomes = [] } = await bringAbout(stop, work, deps);
    stopped.push(...outcomes);
  }
  const delayMs = Math.min(longestRoomWaitMs, shortWaitMs * 2 ** Math.min(work.record.receiveCount - 1, 10));
  return later(delayMs, `run ${stopFirst[0]?.campaignRunId} is stopped first`, stopped);
}

/** A stop of what was only observed never leaves this worker: where the stage acts by the time at which a message comes, it would be a real one. */
async function bringAbout(
  stop: CampaignRunCommand,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<Pick<CommandResult, 'outcomes'>> {
  if (deps.config.mode === 'observe') return stopRun({ ...work, asked: stop, command: stop, row: undefined }, deps);
  await deps.commands.send(JSON.stringify(stop));
  const { id, campaignRunId, reason } = stop;
  work.context.log.info(logEvents.commandSent, `stop of ${campaignRunId} sent: ${reason}`, {
    commandId: id,
    campaignRunId,
  });
  return {};
}

/** Its start was sent, and nobody is at its stop yet: what is only reserved starts, or gives its place up by itself. */
function isToBeStopped(row: RunItem, { commandId }: Reservation): boolean {
  const isSent = row.appliedStart === commandId || row.inDoubt?.id === commandId;
  return isSent && !hasPendingStop(row);
}

/** A wish just older than the start that it makes room for: it outranks the start of the run in flight, and not this one. */
function stopOf(
  { campaignRunId, since }: Reservation,
  { id, issuedAt, origin }: CampaignRunCommand,
): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.previousStop(campaignRunId, since),
    action: 'stop',
    campaignRunId,
    issuedAt: new Date(Date.parse(issuedAt) - 1).toISOString(),
    origin,
    reason: `it makes room for a newer start (${id})`,
  };
}
