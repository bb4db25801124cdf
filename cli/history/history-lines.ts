import { isParkReason, parkReasons, type ReasonCode, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import type { HistoryEntry } from '#operator/history/history-entry.ts';
import { columns } from '../terminal/output.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';
import { roughly } from '#operator/readable.ts';

const styles: Readonly<Partial<Record<HistoryEntry['outcome'], Style>>> = {
  skipped: 'yellow',
  superseded: 'dim',
  ignored: 'dim',
  parked: 'red',
  deferred: 'cyan',
};

/** One line each; the last column says why, as far as a line goes. */
export function historyLines(entries: readonly HistoryEntry[], paint: Paint): readonly string[] {
  const rows = entries.map((entry) => [
    whenOf(entry),
    subjectOf(entry),
    outcomeOf(entry),
    `${entry.askedBy.kind} ${entry.askedBy.name}`,
    cut(whyOf(entry)),
  ]);
  return columns(rows).map((line, index) => styled(line, entries[index], paint));
}

/** All that is known about each, in lines of its own. */
export function verboseLines(entries: readonly HistoryEntry[], paint: Paint): readonly string[] {
  return entries.flatMap((entry, index) => [
    ...(index === 0 ? [] : ['']),
    styled(`${whenOf(entry)}  ${subjectOf(entry)}  ${outcomeOf(entry)}`, entry, paint),
    ...columns(factsOf(entry)).map((line) => `  ${line}`),
  ]);
}

function styled(line: string, entry: HistoryEntry | undefined, paint: Paint): string {
  const style = entry && styles[entry.outcome];
  return style === undefined ? line : paint(style, line);
}

/** `2026-11-20 22:00:44Z`. */
function whenOf({ at }: HistoryEntry): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
}

function subjectOf({ action, run, campaignRunId }: HistoryEntry): string {
  return `${action} ${run ?? campaignRunId ?? ''}`;
}

/** No outcome hides an unproven start. */
function outcomeOf({ outcome, reason, isObserved, mayHaveRun }: HistoryEntry): string {
  return [isObserved ? 'observed:' : '', outcome, reason ?? '', mayHaveRun === undefined ? '' : '(may have run)']
    .filter((word) => word !== '')
    .join(' ');
}

function whyOf(entry: HistoryEntry): string {
  return [
    entry.detail ?? meaningOf(entry.reason),
    wasPutOff(entry),
    entry.lateMs === undefined ? '' : `${roughly(entry.lateMs)} late`,
    otherRefusals(entry),
    entry.askedBecause === undefined ? '' : `asked because: ${entry.askedBecause}`,
    decisionOf(entry),
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** One that still waits says so as its outcome. */
function wasPutOff({ outcome, deferred }: HistoryEntry): string {
  return deferred === undefined || outcome === 'deferred' ? '' : `put off ${putOffWords(deferred)}`;
}

function putOffWords({ from, until, blackout }: NonNullable<HistoryEntry['deferred']>): string {
  return `${from === undefined ? '' : `from ${from} `}until ${until} by the blackout ${blackout}`;
}

function endWords({ endedAt, endedBy }: HistoryEntry): string {
  if (endedAt === undefined || endedBy === undefined) return '';
  if (endedBy.kind === 'itself') return `${endedAt}, by itself`;
  const { kind, commandId, askedBy } = endedBy;
  return `${endedAt}, by ${kind === 'stop' ? 'the stop' : 'a newer start'} ${commandId} (${askedBy.kind} ${askedBy.name})`;
}

export function meaningOf(reason: ReasonCode | undefined): string {
  if (reason === undefined) return '';
  return isParkReason(reason) ? parkReasons[reason].meaning : skipReasons[reason];
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

function decisionOf({ parkedId, resolutions }: HistoryEntry): string {
  if (parkedId !== undefined) return `autopilot parked show ${parkedId}`;
  const last = resolutions?.at(-1);
  return last === undefined ? '' : `${last.decision} by ${last.by}: ${last.reason}`;
}

/** A longer line is not one that is read. */
const longestWhy = 160;

function cut(text: string): string {
  return text.length <= longestWhy ? text : `${text.slice(0, longestWhy - 1)}…`;
}

/** What is known of a start and of the run that it made. */
function courseFacts(entry: HistoryEntry): readonly (readonly [string, string])[] {
  const { campaign = '', deferred, effectAt = '', stopDueAt = '' } = entry;
  return [
    ['campaign', campaign],
    ['put off', deferred === undefined ? '' : putOffWords(deferred)],
    ['begins', effectAt],
    ['stop due', stopDueAt],
    ['ended', endWords(entry)],
  ];
}

function factsOf(entry: HistoryEntry): readonly (readonly [string, string])[] {
  const { askedBy, askedAt, askedBecause, lateMs, mayHaveRun, refusals, resolutions, parkedId } = entry;
  const because = askedBecause === undefined ? '' : `: ${askedBecause}`;
  const facts: (readonly [string, string])[] = [
    ['asked', `${askedBy.kind} ${askedBy.name} at ${askedAt}${because}`],
    ['run', entry.campaignRunId ?? ''],
    ['what came of it', entry.detail ?? meaningOf(entry.reason)],
    ...courseFacts(entry),
    ['may have run', mayHaveRun === undefined ? '' : `from ${mayHaveRun.from} until ${mayHaveRun.until}`],
    ['late', lateMs === undefined ? '' : roughly(lateMs)],
    ['observed', entry.isObserved ? 'nothing was sent to the gateway' : ''],
    ...refusals.map(
      ({ guard, verdict, detail }) =>
        ['guard', `${guard}: ${verdict}${detail === undefined ? '' : `, ${detail}`}`] as const,
    ),
    ...(resolutions ?? []).map(
      ({ decision, by, at, reason }) => ['decided', `${decision} by ${by} at ${at}: ${reason}`] as const,
    ),
    ['parked', parkedId === undefined ? '' : `autopilot parked show ${parkedId}`],
    ['id', entry.id],
  ];
  return facts.filter(([, text]) => text !== '');
}
