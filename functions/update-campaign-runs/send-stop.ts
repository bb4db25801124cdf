import type { RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { changeRun, type ChangeResult } from './change-run.ts';
import { parked } from './conclude.ts';
import { type CommandWork, laterAfter, type UpdateDeps } from './deps.ts';
import { sureMs } from './doubts.ts';
import { stopAnswered, stopApplied, stopUnknown, stoppedOnce, stopRefused, withRefusals } from './run-rows.ts';
import type { Stopped } from './stop-run.ts';

/**
 * Sends the PATCH of a stop and writes down what became of it.
 * @param sending - the row as it was written for this attempt
 * @param before - the row as it was before
 */
export async function sendStop(
  sending: Stored<RunItem>,
  before: RunItem,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<Stopped> {
  const { campaignRunId } = sending;
  // By the instant before it is sent: only then has it come after everything that could land until then.
  const mayLandMs = sureMs(before.inDoubt, work.context.now());
  // A refusal then says that it is stopped already; unless a start of which nobody knows came after that stop.
  const wasStopped =
    before.applied?.action === 'stop' && (before.inDoubt === undefined || before.applied.id === work.command.id);
  const stopped = wasStopped ? before.applied : undefined;
  const isDone = (result: ChangeResult) =>
    result.kind === 'applied' || (result.kind === 'refused' && stopped !== undefined);
  const after = (result: ChangeResult) => {
    const now = work.context.now();
    if (isDone(result)) return (mayLandMs > 0 ? stoppedOnce : stopApplied)(sending, before, work.command, now);
    return rowAfterStop(result, sending, before, work);
  };
  // The word of the time of the start: no later configuration can orphan its stop.
  const status = sending.stopDue?.status ?? deps.config.gateway.status.stop;
  const result = await changeRun({ campaignRunId, status }, sending, after, work, deps);

  if (isDone(result) && mayLandMs > 0) {
    const why = 'stopped; an earlier start without an answer may still land: it is stopped once more after that';
    return { kind: 'later', result: laterAfter(mayLandMs, why, undefined) };
  }
  if (result.kind === 'applied') return { kind: 'stopped', campaignRunId, ...detailOf(result.detail) };
  if (result.kind !== 'refused') {
    return { kind: 'later', result: laterAfter(result.delayMs, result.why, result.evidence) };
  }
  const { reason, detail, evidence } = result;
  if (stopped !== undefined) {
    const since = `stopped since ${stopped.at} (${stopped.id}); the gateway says: ${detail}`;
    return { kind: 'stopped', campaignRunId, detail: since };
  }
  return { kind: 'refused', conclusion: parked(reason, detail, { campaignRunId, evidence }) };
}

function rowAfterStop(
  result: ChangeResult,
  sending: RunItem,
  before: RunItem,
  { command, context }: CommandWork,
): RunItem {
  // The stop itself repeats freely; a start waits until it can land no more.
  if (result.kind === 'unknown') return stopUnknown(sending, command, context.now());
  const answered = stopAnswered(sending, before);
  if (result.kind === 'refused') return stopRefused(answered, command);
  return withRefusals(answered, result.kind === 'not-applied' ? result.refusals : undefined);
}

function detailOf(detail: string | undefined): { readonly detail?: string } {
  return detail === undefined ? {} : { detail };
}
