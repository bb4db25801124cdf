import { type PendingWork, reasonOf, refusedWords, triesOf } from '#operator/outcomes/pending-work.ts';
import type { SentCommand } from '#operator/runs/fire-schedule.ts';
import type { IdsLeft } from '#operator/plan/ids-left.ts';
import { idsWords } from '#operator/plan/ids-words.ts';
import type { RunReport } from '#operator/run-state/run-report.ts';
import { withInstants } from '#operator/readable.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { stopElsewhere } from '#operator/runs/runs-in-flight.ts';
import { type CommandResult, exitCodes, exitOfReport } from '../terminal/command.ts';
import { columns, oneLine, outcomeLines } from '../terminal/output.ts';
import type { TextScreen } from '../terminal/times.ts';

/** A line for each: which, and how it stands. */
export function runLines(runs: readonly RunReport[]): readonly string[] {
  const rows = runs.map(({ run, campaignRunId = '', says }) => [run, campaignRunId, says]);
  return columns(rows).map((line) => `  ${line}`);
}

/** A line for each run: how many ids are left, and until which night they last. */
export function idsLines(ids: readonly IdsLeft[], { at, paint }: TextScreen): readonly string[] {
  const rows = ids.map((one) => [
    one.run,
    `${idsWords(one)}${one.lastsUntil === undefined ? '' : `, enough until ${at(one.lastsUntil)}`}`,
  ]);
  return columns(rows).map((line, index) => {
    const { isLow = false, left } = ids[index] ?? {};
    if (!isLow) return line;
    return paint(left === 0 ? 'red' : 'yellow', line);
  });
}

/** How a person's command ended. A stop that was only observed ended nothing: a script must not go on as if the run were stopped. */
export function endOfSent(about: string, sent: SentCommand): Pick<CommandResult, 'exitCode' | 'render'> {
  const isUnsentStop = sent.command.action === 'stop' && sent.isObserved === true && sent.outcome === 'applied';
  return {
    exitCode: isUnsentStop ? exitCodes.passedOver : exitOfReport(sent),
    render: (screen) => [
      ...outcomeLines(about, sent, screen),
      ...(sent.outcome === 'sent' ? [`  its result: ${screen.line(['autopilot', 'show', sent.command.id])}`] : []),
      ...(isUnsentStop
        ? [screen.paint('yellow', 'no stop was sent: the stage only observes; a run at the gateway goes on')]
        : []),
    ],
  };
}

/** The end of `stop --all-in-flight` there, with --yes as without: which runs go on. */
export function unsentStops(runs: readonly RunReport[], { isFrozen }: { readonly isFrozen: boolean }): CommandResult {
  const goOn =
    runs.length === 1 ? 'this run, started for real, goes on' : `these ${runs.length} runs, started for real, go on`;
  return {
    exitCode: exitCodes.failed,
    data: {
      mode: 'observe',
      stops: [],
      notSent: runs.map(({ campaignRunId }) => campaignRunId),
      inFlight: runs,
      isFrozen,
    },
    render: ({ paint }) => [
      paint('red', `NOT STOPPED: the stage only observes, so no stop is sent, and ${goOn}`),
      ...runLines(runs),
      stopElsewhere,
    ],
  };
}

/** One line each: which, how often, when it is tried again, and why. `show` has the rest. */
export function pendingLines(pending: readonly PendingWork[], screen: TextScreen): readonly string[] {
  const { at, paint } = screen;
  const rows = pending.map((one) => [
    `${one.isObserved === true ? 'observed: ' : ''}${one.action === undefined ? one.id : commandTitle({ ...one, action: one.action })}`,
    triesOf(one),
    one.nextTryAt === undefined ? '' : `next try ${at(one.nextTryAt)}`,
    withInstants(reasonOf(one), at),
  ]);
  return oneLine(rows, screen).map((line, index) =>
    pending[index]?.lastError === undefined ? line : paint('yellow', line),
  );
}

/** The same for one piece of work, a line for each fact. */
export function pendingFacts(pending: PendingWork, { at }: TextScreen): readonly (readonly [string, string])[] {
  const { since, lastError, waitsFor, nextTryAt } = pending;
  const facts: readonly (readonly [string, string])[] = [
    ['pending', `since ${at(since)}, ${triesOf(pending)}`],
    ['waits for', withInstants(waitsFor ?? '', at)],
    ['last error', lastError === waitsFor ? '' : withInstants(lastError ?? '', at)],
    ['refused', refusedWords(pending) ?? ''],
    ['next try', nextTryAt === undefined ? '' : at(nextTryAt)],
  ];
  return facts.filter(([, text]) => text !== '');
}
