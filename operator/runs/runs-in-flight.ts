import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { modeOf } from '#shared/vocabulary/stack-outputs.ts';
import { OperatorError } from '../errors.ts';
import { type WaitLimit, waitForCommand } from '../outcomes/outcome-report.ts';
import { readRunReports, runLine, type RunReport, stageClock } from '../run-state/run-report.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { sendOperatorCommand, type SentCommand } from './fire-schedule.ts';
import type { RunSubject } from './run-ids.ts';

/** `nightly (019b…)`. */
export function runTitle({ run, campaignRunId }: Pick<InFlight, 'run' | 'campaignRunId'>): string {
  return `${run} (${campaignRunId})`;
}

/** How these runs stand, in their order. */
export async function reportsOf(runs: readonly RunInFlight[], deps: OperatorDeps): Promise<readonly RunReport[]> {
  const [acting, clock] = await Promise.all([deps.stage.acting(), stageClock(deps)]);
  return readRunReports(
    runs.map(({ entry }) => entry.startId),
    acting,
    clock,
  );
}

/** Sends a stop for each run, one after the other, before any is waited for; a Ctrl-C ends it after the one in hand. */
export async function sendStops(
  runs: readonly RunInFlight[],
  reason: string,
  deps: OperatorDeps,
): Promise<readonly SentCommand[]> {
  const interruption = deps.interruption();
  const sent: SentCommand[] = [];
  for (const { entry } of runs) {
    if (interruption.aborted) break;
    const { campaignRunId } = entry;
    const how = { verb: 'stop', subject: campaignRunId, patience: undefined };
    sent.push(await sendOperatorCommand({ action: 'stop', campaignRunId, reason }, how, deps));
  }
  return sent;
}

/** Waits with one patience for all of them: an outcome that is there already takes no time. */
export async function waitForStops(
  sent: readonly SentCommand[],
  patience: WaitLimit,
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
  "Stop it at the gateway, or deploy mode: 'act'. An overdue stop is then sent within a minute. Any other can be requested again.";

/**
 * Refuses a stop that would end nothing, before it is sent.
 * @throws OperatorError STAGE_OBSERVES if the stage only observes and goes on with a run of that
 *   name or uuid. It started that run for real
 */
export async function refuseUnsentStop(subject: RunSubject, deps: OperatorDeps): Promise<void> {
  if (modeOf(await deps.stage.outputs()) === 'act') return;
  const runs = await deps.stage.acting().then(readRunsInFlight);
  const meant = runs.filter((run) => isAbout(run, subject));
  if (meant.length === 0) return;
  const goOn = (await reportsOf(meant, deps)).map(runLine).join('; ');
  throw new OperatorError(
    `NOT STOPPED: the stage only observes, so no stop is sent. What was started for real goes on: ${goOn}. ${stopElsewhere}`,
    { code: 'STAGE_OBSERVES' },
  );
}

function isAbout({ entry }: RunInFlight, { run, campaignRunId }: RunSubject): boolean {
  return campaignRunId === undefined ? entry.run === run : entry.campaignRunId === campaignRunId;
}
