import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import { isOnAt, readSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import {
  type CommandArguments,
  patienceOf,
  reasonOption,
  requiredReason,
  waitingOptions,
} from '../terminal/arguments.ts';
import { type Command, type CommandResult, exitCodes, exitOfReport, gravestExit } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { outcomeLines } from '../terminal/output.ts';
import { modeOf } from '#shared/vocabulary/stack-outputs.ts';
import { runLines, unsentStops } from './run-lines.ts';
import type { RunReport } from '#operator/run-state/run-report.ts';
import { reportsOf, runTitle, sendStops, waitForStops } from '#operator/runs/runs-in-flight.ts';
import type { TextScreen } from '../terminal/times.ts';

export const command: Command = {
  line: {
    says: 'Sends a stop for every campaign run that is in flight, and waits for the outcomes.',
    more: 'Without --yes it shows which runs those are and stops none. A stop passes every guard, and is tried until the gateway says yes. A stage that only observes sends none (exit code 1). One run alone: autopilot send stop RUN. To block new starts: autopilot freeze.',
    meant: (name) =>
      name === 'all'
        ? {
            command: ['autopilot', 'stop', '--all-in-flight', '--reason', 'TEXT'],
            says: '. Your reason goes in the place of TEXT',
          }
        : { command: ['autopilot', 'send', 'stop', name] },
    options: {
      '--all-in-flight': 'every run, so that none is stopped by a slip',
      ...reasonOption,
      '--yes': 'do it, for all that is in flight by now',
      ...waitingOptions,
    },
    examples: [
      'autopilot stop --all-in-flight --reason "INC-77: the chatbot is down"',
      'autopilot stop --all-in-flight --reason INC-77 --yes --aws --stage prod',
    ],
  },
  async run(args, deps) {
    const reason = checkedReason(args);
    const patience = patienceOf(args);
    const [acting, now, outputs] = await Promise.all([deps.stage.acting(), deps.now(), deps.stage.outputs()]);
    const [runs, isFrozen] = await Promise.all([
      readRunsInFlight(acting),
      readSwitch(acting, stageSwitch).then((row) => row !== undefined && isOnAt(row, now)),
    ]);
    if (runs.length === 0) return nothingInFlight(isFrozen);
    const isObserving = modeOf(outputs) === 'observe';
    if (isObserving || !args.flag('yes')) {
      const reports = await reportsOf(runs, deps);
      return isObserving ? unsentStops(reports, { isFrozen }) : showOnly(reports, reason);
    }

    const sent = await sendStops(runs, reason, deps);
    const ended = await waitForStops(sent, patience, deps);
    const untouched = runs.slice(sent.length);
    return {
      exitCode: gravestExit([
        ...ended.map((one) => exitOfReport(one)),
        ...(untouched.length > 0 ? [exitCodes.failed] : []),
      ]),
      data: { stops: ended, notSent: untouched.map(({ entry }) => entry.campaignRunId), isFrozen },
      render: (screen) => [
        ...ended.flatMap((one, index) => outcomeLines(`stop ${titleAt(runs, index)}`, one, screen)),
        ...untouched.map(({ entry }) => `stop ${runTitle(entry)}: not sent`),
        ...frozenHint(isFrozen, screen),
      ],
    };
  },
};

function checkedReason(args: CommandArguments): string {
  if (!args.flag('all-in-flight'))
    throw new UsageError('stop needs --all-in-flight; one run alone, in the place of RUN', {
      command: ['autopilot', 'send', 'stop', 'RUN'],
    });
  return requiredReason(args);
}

function titleAt(runs: readonly RunInFlight[], index: number): string {
  const found = runs[index];
  return found === undefined ? '' : runTitle(found.entry);
}

function nothingInFlight(isFrozen: boolean): CommandResult {
  return {
    data: { stops: [], notSent: [], isFrozen },
    render: (screen) => ['nothing is in flight: no stop was sent', ...frozenHint(isFrozen, screen)],
  };
}

/** The exit code of a command line that did nothing: a script that forgot --yes must not go on as if all were stopped. */
function showOnly(runs: readonly RunReport[], reason: string): CommandResult {
  const confirm = ['autopilot', 'stop', '--all-in-flight', '--reason', reason, '--yes'];
  return {
    exitCode: exitCodes.usage,
    data: { inFlight: runs, confirm },
    render: ({ paint, line }) => [
      paint('bold', `${runs.length === 1 ? '1 run is' : `${runs.length} runs are`} in flight`),
      ...runLines(runs),
      'nothing was stopped; to stop them:',
      `  ${line(confirm)}`,
    ],
  };
}

/** Else a schedule starts the next one while this one is being stopped. */
function frozenHint(isFrozen: boolean, { paint, line }: TextScreen): readonly string[] {
  if (isFrozen) return [];
  return [
    paint('yellow', 'Starts are not blocked. To block them, with your reason in the place of TEXT:'),
    `  ${line(['autopilot', 'freeze', '--reason', 'TEXT'])}`,
  ];
}
