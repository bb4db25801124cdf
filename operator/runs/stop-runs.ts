import type { RunInFlight } from '#shared/ledger/open-rows.ts';
import { sendOperatorCommand, type SentCommand } from './operator-command.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { type Patience, waitForCommand } from '../outcomes/outcome-report.ts';
import { OperatorError } from '../errors.ts';
import type { RunSubject } from './run-subject.ts';
import { listRunsInFlight, runTitle, stopWords } from './runs-in-flight.ts';
import { readStageMode } from '../stage/stage-config.ts';

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

/** What helps against a run that goes on while the stage observes. */
export const stopElsewhere =
  "stop it at the gateway; or deploy mode: 'act': a stop that is overdue is sent within a minute, and any other can be asked for again";

/**
 * Refuses a stop that would end nothing, before it is sent.
 * @throws OperatorError STAGE_OBSERVES where the stage only observes and goes on with a run of that name or uuid that it started for real
 */
export async function refuseUnsentStop(subject: RunSubject, deps: OperatorDeps): Promise<void> {
  const [{ mode }, now, ledger] = await Promise.all([readStageMode(deps), deps.now(), deps.stage.ledger()]);
  if (mode !== 'observe') return;
  const runs = await listRunsInFlight(ledger, now);
  const meant = runs.filter((run) => isAbout(run, subject));
  if (meant.length === 0) return;
  const goOn = meant.map(({ row, start }) => `${runTitle(row)} (${stopWords(start.plannedStop?.at, now)})`).join(', ');
  throw new OperatorError(
    `NOT STOPPED: the stage only observes, so no stop is sent, and what was started for real goes on: ${goOn}; ${stopElsewhere}`,
    { code: 'STAGE_OBSERVES' },
  );
}

function isAbout({ row }: RunInFlight, { run, campaignRunId }: RunSubject): boolean {
  return campaignRunId === undefined ? row.run === run : row.campaignRunId === campaignRunId;
}
