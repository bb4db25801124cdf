import type { RunInFlight } from '#shared/ledger/open-rows.ts';
import { sendOperatorCommand, type SentCommand } from './operator-command.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { type Patience, waitForCommand } from '../outcomes/outcome-report.ts';

/** Sends a stop for each run, one after the other, before any is waited for; a Ctrl-C ends it after the one in hand. */
export async function sendStops(
  runs: readonly RunInFlight[],
  reason: string,
  deps: OperatorDeps,
): Promise<readonly SentCommand[]> {
  const interruption = deps.interruption();
  const sent: SentCommand[] = [];
  for (const { row } of runs) {
    if (interruption.aborted) break;
    const { campaignRunId } = row;
    const how = { verb: 'stop', subject: campaignRunId, patience: undefined };
    sent.push(await sendOperatorCommand({ action: 'stop', campaignRunId, reason }, how, deps));
  }
  return sent;
}

/** Waits with one patience for all of them: an outcome that is there already takes no time. */
export async function waitForStops(
  sent: readonly SentCommand[],
  patience: Patience,
  deps: OperatorDeps,
): Promise<readonly SentCommand[]> {
  const startedMs = deps.elapsedMs();
  const ended: SentCommand[] = [];
  for (const one of sent) {
    const left = patience && { timeoutMs: Math.max(0, patience.timeoutMs - (deps.elapsedMs() - startedMs)) };
    ended.push({ ...one, ...(await waitForCommand(one.command.id, left, deps)) });
  }
  return ended;
}
