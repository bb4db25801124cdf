import { toError } from '../../shared/errors/app-error.ts';
import { isPastHorizon } from '../../shared/ledger/horizon.ts';
import { instantOfWork } from '../../shared/ledger/instant-of-work.ts';
import { type CommandItem, ledgerKeys } from '../../shared/ledger/items.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { done, later, type RecordResult } from '../_runtime/outcome.ts';
import type { QueueRecord, RecordContext } from '../_runtime/queue-worker.ts';
import { beginAttempt, leaveMark, noteEnd } from './attempts.ts';
import { parkUnreadable, publishOutcome } from './conclude.ts';
import type { CommandResult, CommandWork, UpdateDeps } from './deps.ts';
import { endUnconfigured } from './end-unconfigured.ts';
import { giveUpCommand } from './give-up.ts';
import { endOfActed, endOfObserved } from './other-mode.ts';
import { retryMs } from './retry-delay.ts';
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

  const { command } = parsed;
  const ended = deps.config.mode === 'act' ? endOfObserved(command) : await endOfActed(command, deps);
  if (ended !== undefined) return ended;
  const work = { asked: command, record, context };
  try {
    const row = await deps.ledger.read<CommandItem>(ledgerKeys.command(command.id));
    if (row?.outcome === undefined)
      return await attempt({ ...work, command: asApproved(command, row, context.now()), row }, deps);
    await publishOutcome(row, deps);
    context.log.info(logEvents.repeated, 'this command has its outcome already', {
      commandId: row.id,
      outcome: row.outcome.kind,
    });
    return done();
  } catch (error) {
    return comesBack(error, { ...work, command }, deps);
  }
}

/** Whatever goes wrong with a command, it is tried again; a stop within a minute. */
function comesBack(error: unknown, work: Omit<CommandWork, 'row'>, deps: UpdateDeps): CommandResult {
  const { message } = toError(error);
  work.context.log.error(logEvents.failed, `attempt failed: ${message}`, { commandId: work.command.id });
  return later(retryMs(work, deps), message);
}

/** One attempt, from its mark to its end. */
async function attempt(work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const first = beginAttempt(work);
  const begun = first.kind === 'marks' ? await leaveMark(work, first.mark, deps) : first;
  if (begun.kind === 'wait') return begun.result;
  if (begun.kind === 'crash-loop') {
    const detail = `${begun.crashes} attempts started and never said how they ended`;
    return giveUpCommand(work, { reason: 'CRASH_LOOP', detail }, deps);
  }
  let result: CommandResult;
  try {
    result = await act(begun.work, deps);
  } catch (error) {
    result = comesBack(error, begun.work, deps);
  }
  return result.kind === 'done' ? result : await notDone(result, begun.work, deps);
}

type NotDone = Extract<CommandResult, { readonly kind: 'later' }>;

async function notDone(result: NotDone, work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const end = isPastHorizon(work.record.sentAt, work.context.now()) ? await atHorizon(result, work, deps) : result;
  if (end.kind === 'later') await noteEnd(work, deps);
  return end;
}

/** A day is enough: what has to wait after that is parked. */
async function atHorizon(result: NotDone, work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  // An outcome that is recorded and waits for its event is an outcome.
  const row = await deps.ledger.read<CommandItem>(ledgerKeys.command(work.command.id));
  if (row?.outcome !== undefined) return result;
  const { evidence } = result;
  const detail = `not done within a day; the last attempt: ${result.why}`;
  return giveUpCommand(
    work,
    { reason: 'HORIZON_EXCEEDED', detail, ...(evidence === undefined ? {} : { evidence }) },
    deps,
  );
}

async function startConfigured(work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const found = await findStartPolicy(work.command, deps.config, deps.ledger);
  if (!found.ok) return endUnconfigured(work, found.detail, deps);
  return startRun(work, found.policy, deps);
}

function act(work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  switch (work.command.action) {
    case 'start':
      return startConfigured(work, deps);
    case 'stop':
      return stopRun(work, deps);
    case 'update':
      return updateRun(work, deps);
  }
}

/** A repeat that a person approved is a wish of that instant: its validity starts anew, and it outranks what was wished before. */
function asApproved(command: CampaignRunCommand, row: CommandItem | undefined, now: Date): CampaignRunCommand {
  if (row?.resolutions === undefined) return command;
  return { ...command, issuedAt: instantOfWork({ since: command.issuedAt, resolutions: row.resolutions }, now) };
}
