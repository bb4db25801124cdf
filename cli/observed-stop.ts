import type { RunInFlight } from '#shared/ledger/runs-in-flight.ts';
import type { CommandResult } from './command.ts';
import type { CommandDeps } from './deps.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { SentCommand } from './operator-command.ts';
import { exitOfReport, outcomeLines } from './outcome-report.ts';
import type { RunSubject } from './recorded-latest.ts';
import { listRunsInFlight, reportedRun, runLines, runTitle, stopWords } from './runs-in-flight.ts';
import { readStageMode } from './stage-config.ts';

/** A stage that observes sends no stop: whoever asks for one must not read that as a stop. */

/** What helps against a run that goes on while the stage observes. */
const stopElsewhere =
  "stop it at the gateway; or deploy mode: 'act': a stop that is overdue is sent within a minute, and any other can be asked for again";

/**
 * Refuses a stop that would end nothing, before it is sent.
 * @throws CliError STAGE_OBSERVES where the stage only observes and goes on with a run of that name or uuid that it started for real
 */
export async function refuseUnsentStop(subject: RunSubject, deps: CommandDeps): Promise<void> {
  const [{ mode }, now, ledger] = await Promise.all([readStageMode(deps), deps.now(), deps.stage.ledger()]);
  if (mode !== 'observe') return;
  const runs = await listRunsInFlight(ledger, now);
  const meant = runs.filter((run) => isAbout(run, subject));
  if (meant.length === 0) return;
  const goOn = meant.map(({ row, start }) => `${runTitle(row)} (${stopWords(start.plannedStop?.at, now)})`).join(', ');
  throw new CliError(
    `NOT STOPPED: the stage only observes, so no stop is sent, and what was started for real goes on: ${goOn}; ${stopElsewhere}`,
    { exitCode: exitCodes.failed, code: 'STAGE_OBSERVES' },
  );
}

function isAbout({ row }: RunInFlight, { run, campaignRunId }: RunSubject): boolean {
  return campaignRunId === undefined ? row.run === run : row.campaignRunId === campaignRunId;
}

/** How a person's command ended. A stop that was only observed ended nothing: a script must not go on as if the run were stopped. */
export function endOfSent(about: string, sent: SentCommand): Pick<CommandResult, 'exitCode' | 'render'> {
  const isUnsentStop = sent.command.action === 'stop' && sent.isObserved === true && sent.outcome === 'applied';
  return {
    exitCode: isUnsentStop ? exitCodes.passedOver : exitOfReport(sent),
    render: (paint) => [
      ...outcomeLines(about, sent, paint),
      ...(isUnsentStop
        ? [paint('yellow', 'no stop was sent: the stage only observes; a run at the gateway goes on')]
        : []),
    ],
  };
}

/** The end of `stop --all-in-flight` there, with --yes as without: which runs go on. */
export function unsentStops(
  runs: readonly RunInFlight[],
  { now, isFrozen }: { readonly now: Date; readonly isFrozen: boolean },
): CommandResult {
  const goOn =
    runs.length === 1 ? 'this run, started for real, goes on' : `these ${runs.length} runs, started for real, go on`;
  return {
    exitCode: exitCodes.failed,
    data: {
      mode: 'observe',
      stops: [],
      notSent: runs.map(({ row }) => row.campaignRunId),
      inFlight: runs.map((run) => reportedRun(run, now)),
      isFrozen,
    },
    render: (paint) => [
      paint('red', `NOT STOPPED: the stage only observes, so no stop is sent, and ${goOn}`),
      ...runLines(runs, now),
      `for each: ${stopElsewhere}`,
    ],
  };
}
