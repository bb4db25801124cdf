import type { SilentAlso } from '#shared/config/automation.ts';
import type { WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { type ResolvedBlackout, coveringBlackout } from '#shared/schedule/blackouts.ts';
import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { MissedStarts } from '#shared/ledger/rows/reconcile-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import {
  fireTimes,
  nextFireTimes,
  parseScheduleExpression,
  type ScheduleExpression,
} from '#shared/schedule/schedule-expression.ts';
import { reasonOfEnd } from '#shared/vocabulary/silence-reasons.ts';
import { dayMs, hourMs, minuteMs } from '#shared/schedule/duration.ts';

/**
 * Scheduler delivers within a minute, and a queue within seconds; a message that is later than this
 * is reported, and closes the silence.
 */
const graceMs = 15 * minuteMs;

/**
 * Every command has its outcome within a day; one that has none two hours later has lost its
 * message.
 */
const mostPendingMs = 26 * hourMs;

/** How far back occurrences are looked for: a command's row is kept for 400 days. */
const farthestBackMs = 400 * dayMs;

/**
 * Blackouts in a row that are followed to find their end, and how far: five weeks of nights, and a
 * year.
 */
const mostBlackouts = 35;
const farthestMs = 366 * dayMs;

/** One row has what the silence of every schedule came to, at most 402 (docs/reference/limits.md), in 400 KB. */
const mostDetailBytes = 256;

/** What the occurrences of a schedule are judged by. */
export interface SilenceFacts {
  readonly now: Date;
  readonly mode: 'act' | 'observe';
  readonly also: readonly SilentAlso[];
  readonly blackouts: readonly ResolvedBlackout[];
  /** Before it, an occurrence without a command is not counted: the schedule was new, or the stage did not act. */
  readonly since: Date;
  /** The row of a command by its id. */
  readonly commandOf: (id: string) => CommandRow | undefined;
}

/** Why an occurrence started nothing. */
type Missed = Pick<MissedStarts, 'reason' | 'detail' | 'endedAt'>;

/** What the last occurrences of a schedule came to. */
export interface Judged {
  /** The last occurrence that started its run, among those that were judged. */
  readonly startedAt?: string;
  /** Occurrences since then without a start, if there are enough of them to be silent. */
  readonly silent?: MissedStarts | undefined;
}

/**
 * The last occurrences of a schedule, the newest first. Those come first that may be under way. Of
 * the others there are enough to see whether it is silent, also if some are not counted.
 */
export function lastOccurrences(schedule: WatchedSchedule, now: Date): readonly Date[] {
  const expression = expressionOf(schedule);
  if (expression === undefined) return [];
  const settledMs = now.getTime() - mostPendingMs;
  const wanted = 2 * schedule.silentAfter + 5;
  for (let backMs = 2 * mostPendingMs; ; backMs *= 4) {
    const from = new Date(now.getTime() - Math.min(backMs, farthestBackMs));
    const times: Date[] = [];
    for (const at of fireTimes(expression, schedule.timezone, from, boundsOf(schedule))) {
      if (at > now) break;
      times.push(at);
    }
    const settled = times.filter((at) => at.getTime() <= settledMs).length;
    if (settled >= wanted || backMs >= farthestBackMs) return times.slice(Math.max(0, settled - wanted)).toReversed();
  }
}

/** Judges the last occurrences of a schedule, from the newest back to one that started its run. */
export function judgeSchedule(schedule: WatchedSchedule, occurrences: readonly Date[], facts: SilenceFacts): Judged {
  if (facts.mode === 'observe' && !facts.also.includes('observe')) return {};
  const missed: (Missed & { readonly at: string })[] = [];
  for (const date of occurrences) {
    const verdict = verdictOf(schedule, date, facts);
    const at = date.toISOString();
    if (verdict === 'started') return { startedAt: at, silent: silenceOf(schedule, missed, facts.now) };
    if (verdict !== 'not-counted') missed.push({ ...verdict, at });
  }
  return { silent: silenceOf(schedule, missed, facts.now) };
}

/**
 * What enough occurrences without a start come to. A schedule of one occurrence is silent after it,
 * and for a day: no start is to come that could end it.
 * @param missed - the newest first
 */
function silenceOf(
  schedule: WatchedSchedule,
  missed: readonly (Missed & { readonly at: string })[],
  now: Date,
): MissedStarts | undefined {
  const isOnce = expressionOf(schedule)?.kind === 'at';
  const [last] = missed;
  const silentSince = missed.at(isOnce ? -1 : -schedule.silentAfter)?.at;
  if (last === undefined || silentSince === undefined) return undefined;
  if (isOnce && now.getTime() - Date.parse(last.at) > dayMs) return undefined;
  const { at, ...why } = last;
  return { missed: missed.length, first: missed.at(-1)?.at ?? at, last: at, silentSince, ...why };
}

/**
 * A rate without a begin counts from its creation, which only Scheduler knows; the configuration
 * wants one of every start.
 */
function expressionOf({ expression, startDate }: WatchedSchedule): ScheduleExpression | undefined {
  const parsed = parseScheduleExpression(expression);
  if (!parsed.ok || (parsed.value.kind === 'rate' && startDate === undefined)) return undefined;
  return parsed.value;
}

function boundsOf({ startDate }: WatchedSchedule) {
  return { startDate: startDate === undefined ? undefined : new Date(startDate) };
}

function verdictOf(schedule: WatchedSchedule, at: Date, facts: SilenceFacts): Missed | 'started' | 'not-counted' {
  if (facts.mode === 'observe') return at > facts.since ? { reason: 'OBSERVED' } : 'not-counted';
  const row = facts.commandOf(commandIds.occurrence(schedule.name, at));
  // A request that may have started the run is a start, and the ledger asks a person about it.
  if (row?.outcome?.kind === 'applied' || row?.mayHaveRun !== undefined) return 'started';
  if (row === undefined && at <= facts.since) return 'not-counted';
  const isAwaitedYet = isAwaited(row, facts.now.getTime() - at.getTime());
  return isAwaitedYet || isExcused(schedule, row, at, facts) ? 'not-counted' : reasonOf(row);
}

function isAwaited(row: CommandRow | undefined, ageMs: number): boolean {
  if (row === undefined) return ageMs < graceMs;
  return row.outcome === undefined && row.deferred === undefined && ageMs < mostPendingMs;
}

function reasonOf(row: CommandRow | undefined): Missed {
  if (row === undefined) return { reason: 'NO_MESSAGE' };
  const { outcome, deferred } = row;
  if (outcome !== undefined) {
    const detail = outcome.detail && cappedDetail(outcome.detail, mostDetailBytes);
    return { reason: reasonOfEnd(outcome.kind, outcome.reason), detail, endedAt: outcome.at };
  }
  if (deferred === undefined) return { reason: 'NO_OUTCOME' };
  return { reason: 'BLACKOUT', detail: `deferred until ${deferred.until}` };
}

function isExcused(
  schedule: WatchedSchedule,
  row: CommandRow | undefined,
  at: Date,
  { blackouts, also }: SilenceFacts,
): boolean {
  const isHeld = row?.outcome?.reason === 'BLACKOUT' || row?.deferred !== undefined;
  const isCovered = isHeld || coveringBlackout(blackouts, schedule.campaign, at) !== undefined;
  return isCovered && !also.includes('blackouts') && endsAfter(schedule, at, blackouts);
}

/**
 * Returns true if no blackout covers some occurrence within a year and a few blackouts. Only then
 * does the silence of these blackouts have an end.
 */
function endsAfter(schedule: WatchedSchedule, at: Date, blackouts: readonly ResolvedBlackout[]): boolean {
  const expression = expressionOf(schedule);
  let next: Date | undefined = at;
  for (let passed = 0; passed < mostBlackouts && next !== undefined; passed += 1) {
    const until: Date | undefined = coveringBlackout(blackouts, schedule.campaign, next)?.until;
    if (until === undefined) return true;
    if (until.getTime() - at.getTime() > farthestMs || expression?.kind === 'at') return expression?.kind === 'at';
    // An occurrence at the very end is not covered.
    const from: Date = new Date(until.getTime() - 1);
    next = expression && nextFireTimes(expression, schedule.timezone, from, { count: 1, ...boundsOf(schedule) })[0];
  }
  return false;
}
