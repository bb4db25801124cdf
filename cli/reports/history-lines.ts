import { meaningOf } from '#shared/vocabulary/reason-codes.ts';
import type { HistoryEntry } from '#operator/history/history-entry.ts';
import { columns, outcomeWords } from '../terminal/output.ts';
import { type When, type TextScreen } from '../terminal/times.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import type { Style } from '#shared/text/terminal-writer.ts';
import { decisionWords } from '#operator/parked/parked-rows.ts';
import { roughly, withInstants } from '#operator/readable.ts';

const styles: Readonly<Partial<Record<HistoryEntry['outcome'], Style>>> = {
  skipped: 'yellow',
  superseded: 'dim',
  ignored: 'dim',
  parked: 'red',
  deferred: 'cyan',
};

/** One row each; its last column says why and who asked, and a terminal wraps it under itself. */
export function historyLines(entries: readonly HistoryEntry[], screen: TextScreen): readonly string[] {
  const rows = entries.map((entry) => [screen.at(entry.at), titleOf(entry), outcomeOf(entry), whyOf(entry, screen)]);
  return columns(rows).map((line, index) => styled(line, entries[index], screen));
}

/** All that is known about each, in lines of its own. */
export function verboseLines(entries: readonly HistoryEntry[], screen: TextScreen): readonly string[] {
  return entries.flatMap((entry, index) => [
    ...(index === 0 ? [] : ['']),
    styled(`${screen.at(entry.at)}  ${titleOf(entry)}  ${outcomeOf(entry)}`, entry, screen),
    ...columns(factsOf(entry, screen)).map((line) => `  ${line}`),
  ]);
}

function titleOf({ action, name, campaignRunId }: HistoryEntry): string {
  return commandTitle({ action, run: name, campaignRunId });
}

function styled(line: string, entry: HistoryEntry | undefined, { paint }: TextScreen): string {
  const style = entry && (entry.run?.tone === 'bad' ? 'red' : styles[entry.outcome]);
  return style === undefined ? line : paint(style, line);
}

/** Of a start that was sent, how its run stands. */
function outcomeOf(entry: HistoryEntry): string {
  return toldRun(entry)?.state ?? outcomeWords(entry.outcome, entry);
}

function whyOf(entry: HistoryEntry, when: When): string {
  const { parkedId } = entry;
  const isDone = entry.outcome === 'applied';
  const words = [
    toldRun(entry)?.says ?? '',
    // Who stopped it is asked at night, on a narrow terminal; of what did not happen, why.
    isDone ? askedWords(entry) : '',
    toldRun(entry) === undefined ? withInstants(entry.detail ?? meaningOf(entry.reason), when.at) : '',
    wasDeferred(entry, when.at),
    entry.lateMs === undefined ? '' : `${roughly(entry.lateMs)} late`,
    otherRefusals(entry),
    parkedId === undefined ? decisionOf(entry) : '',
    isDone ? '' : askedWords(entry),
  ].filter((part) => part !== '');
  // What a person types next comes first.
  return `${parkedId === undefined ? '' : `${parkedId}: `}${words.join('; ')}`;
}

/** `operator grace: INC-78 it is too loud`. */
function askedWords({ askedBy, askedBecause }: HistoryEntry): string {
  return `${askedBy.kind} ${askedBy.name}${askedBecause === undefined ? '' : `: ${askedBecause}`}`;
}

/** One that still waits says so as its outcome. */
function wasDeferred({ outcome, deferred }: HistoryEntry, at: When['at']): string {
  return deferred === undefined || outcome === 'deferred' ? '' : `deferred ${deferredWords(deferred, at)}`;
}

function deferredWords({ from, until, blackout }: NonNullable<HistoryEntry['deferred']>, at: When['at']): string {
  return `${from === undefined ? '' : `from ${at(from)} `}until ${at(until)} by the blackout ${blackout}`;
}

/** How a run stands is what a person looks for first; of a start that was not made, why. */
function toldRun({ run, outcome }: HistoryEntry): HistoryEntry['run'] {
  const isNotMade = run?.state === 'not-started' || (run?.state === 'observed' && outcome !== 'applied');
  return isNotMade ? undefined : run;
}

/** The first guard that said no is the reason of a skip already. */
function otherRefusals({ refusals, outcome }: HistoryEntry): string {
  const overridden = refusals.filter(({ verdict }) => verdict === 'overridden').map(({ guard }) => guard);
  const others = refusals.filter(({ verdict }) => verdict !== 'overridden').map(({ guard }) => guard);
  const also = outcome === 'skipped' || outcome === 'deferred' ? others.slice(1) : others;
  return [
    overridden.length === 0 ? '' : `overridden: ${overridden.join(', ')}`,
    also.length === 0 ? '' : `${also.join(', ')} said no as well`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

function decisionOf({ resolutions }: HistoryEntry): string {
  const last = resolutions?.at(-1);
  return last === undefined ? '' : `${decisionWords(last)}: ${last.reason}`;
}

function courseFacts(entry: HistoryEntry, at: When['at']): readonly (readonly [string, string])[] {
  const { campaign = '', deferred } = entry;
  const { startAt, stopsAt, endedAt } = toldRun(entry) ?? {};
  return [
    ['campaign', campaign],
    ['deferred', deferred === undefined ? '' : deferredWords(deferred, at)],
    ['begins', startAt === undefined ? '' : at(startAt)],
    ['stops', stopsAt === undefined ? '' : at(stopsAt)],
    ['ended', endedAt === undefined ? '' : at(endedAt)],
    ['run is', toldRun(entry)?.says ?? ''],
  ];
}

/** Who proved to SQS who he is; a name beside it is only claimed. */
function sentBy({ sentBy: sender }: HistoryEntry): string {
  if (sender === undefined) return '';
  return `${sender.id}${sender.isProven === true ? ', the role that sends these' : ', no role of the stage'}`;
}

function factsOf(entry: HistoryEntry, { at, line }: When): readonly (readonly [string, string])[] {
  const { askedBy, askedAt, askedBecause, lateMs, mayHaveRun, refusals, resolutions, parkedId } = entry;
  const because = askedBecause === undefined ? '' : `: ${askedBecause}`;
  const facts: (readonly [string, string])[] = [
    ['asked', `${askedBy.kind} ${askedBy.name} at ${at(askedAt)}${because}`],
    ['sent by', sentBy(entry)],
    ['run', entry.campaignRunId ?? ''],
    ['result', withInstants(entry.detail ?? meaningOf(entry.reason), at)],
    ...courseFacts(entry, at),
    ['may have run', mayHaveRun === undefined ? '' : `from ${at(mayHaveRun.from)} until ${at(mayHaveRun.until)}`],
    ['late', lateMs === undefined ? '' : roughly(lateMs)],
    ['observed', entry.isObserved ? 'nothing was sent to the gateway' : ''],
    ...refusals.map(
      ({ guard, verdict, detail }) =>
        ['guard', `${guard}: ${verdict}${detail === undefined ? '' : `, ${withInstants(detail, at)}`}`] as const,
    ),
    ...(resolutions ?? []).map(
      (made) => ['decided', `${decisionWords(made)} at ${at(made.at)}: ${made.reason}`] as const,
    ),
    ['parked', parkedId === undefined ? '' : line(['autopilot', 'parked', 'show', parkedId])],
    ['id', entry.id],
  ];
  return facts.filter(([, text]) => text !== '');
}
