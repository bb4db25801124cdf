import { toError } from '../../shared/errors/app-error.ts';
import { type CommandItem, ledgerKeys } from '../../shared/ledger/items.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { done, later, type RecordResult } from '../_runtime/outcome.ts';
import type { QueueRecord, RecordContext } from '../_runtime/queue-worker.ts';
import { waitMs } from './change-run.ts';
import { conclude, parked, parkUnreadable, publishOutcome } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { findStartPolicy } from './run-policy.ts';
import { startRun } from './start-run.ts';
import { stopRun } from './stop-run.ts';
import { updateRun } from './update-run.ts';

/**
 * Handles one message of the commands queue. A message is a wish: duplicates and any order of arrival end in the same state.
 */
export async function updateCampaignRun(
  record: QueueRecord,
  context: RecordContext,
  deps: UpdateDeps,
): Promise<RecordResult> {
  const parsed = parseCampaignRunCommand(record.body, context.now());
  if (!parsed.ok) return parkUnreadable(record, context, parsed.problems, deps);

  const row = await deps.ledger.read<CommandItem>(ledgerKeys.command(parsed.command.id));
  if (row?.outcome !== undefined) {
    await publishOutcome(row, deps);
    context.log.info(logEvents.repeated, 'this command has its outcome already', {
      commandId: row.id,
      outcome: row.outcome.kind,
    });
    return done();
  }
  return act({ asked: parsed.command, command: asApproved(parsed.command, row), record, context, row }, deps);
}

async function act(work: CommandWork, deps: UpdateDeps): Promise<RecordResult> {
  switch (work.command.action) {
    case 'start': {
      const found = await findStartPolicy(work.command, deps.config, deps.ledger);
      if (!found.ok) return conclude(work, parked('CONFIG', found.detail), deps);
      return startRun(work, found.policy, deps);
    }
    case 'stop':
      return stopSoon(work, deps);
    case 'update':
      return updateRun(work, deps);
  }
}

/** Whatever goes wrong with a stop, it is tried again within a minute. */
async function stopSoon(work: CommandWork, deps: UpdateDeps): Promise<RecordResult> {
  try {
    return await stopRun(work, deps);
  } catch (error) {
    const { message } = toError(error);
    work.context.log.error(logEvents.failed, `attempt failed: ${message}`, { commandId: work.command.id });
    return later(waitMs(work, deps), message);
  }
}

/** A repeat that a person approved is a wish of that instant: its validity starts anew, and it outranks what was wished before. */
function asApproved(command: CampaignRunCommand, row: CommandItem | undefined): CampaignRunCommand {
  const last = row?.resolutions?.at(-1);
  if (last?.decision !== 'repeat' || Date.parse(last.at) <= Date.parse(command.issuedAt)) return command;
  return { ...command, issuedAt: last.at };
}
