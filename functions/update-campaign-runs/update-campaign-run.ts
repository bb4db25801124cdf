import { type CommandItem, ledgerKeys } from '../../shared/ledger/items.ts';
import { parseCampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { done, type RecordResult } from '../_runtime/outcome.ts';
import type { QueueRecord, RecordContext } from '../_runtime/queue-worker.ts';
import { conclude, parked, parkUnreadable, publishOutcome } from './conclude.ts';
import type { UpdateDeps } from './deps.ts';
import { findRunPolicy } from './run-policy.ts';
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
  const { command } = parsed;

  const row = await deps.ledger.read<CommandItem>(ledgerKeys.command(command.id));
  if (row?.outcome !== undefined) {
    await publishOutcome(row, deps);
    context.log.info(logEvents.repeated, 'this command has its outcome already', {
      commandId: command.id,
      outcome: row.outcome.kind,
    });
    return done();
  }

  const work = { command, record, context, row };
  const found = findRunPolicy(command, deps.config);
  if (!found.ok) return conclude(work, parked('CONFIG', found.detail), deps);
  switch (command.action) {
    case 'start':
      return startRun(work, found.policy, deps);
    case 'stop':
      return stopRun(work, found.policy, deps);
    case 'update':
      return updateRun(work, found.policy, deps);
  }
}
