import type { SilentAlso } from '#shared/config/deployment.ts';
import type { WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { type ResolvedBlackout, coveringBlackout } from '#shared/schedule/blackouts.ts';
import { cappedDetail } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { Missed, ScheduleMemory } from '#shared/ledger/rows/reconcile-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import {
  fireTimes,
  nextFireTimes,
  parseScheduleExpression,
  type ScheduleExpression,
} from '#shared/schedule/schedule-expression.ts';
import { reasonOfEnd, type SilenceReason } from '#shared/vocabulary/silence-reasons.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * Scheduler delivers within a minute, and a queue within seconds; a message that is later than this
 * is reported, and closes the silence.
 */
const graceMs = 15 * minuteMs;

/**
 * Every command has its outcome within a day; one that has none two hours later has lost its
 * message.
 */
const mostPendingMs = 26 * 60 * minuteMs;

/** More occurrences than a pass of five minutes brings are judged by the passes that follow. */
const mostOccurrences = 20;

/**
 * Blackouts in a row that are followed to find their end, and how far: five weeks of nights, and a
 * year.
 */
const mostBlackouts = 35;

/** One row remembers every schedule of a stage, at most 402 (docs/reference/limits.md), in 400 KB. */
const mostDetailBytes = 256;
const farthestMs = 366 * dayMs;

/** What the occurrences of a schedule are judged by. */
export interface SilenceFacts {
  readonly now: Date;
  readonly mode: 'act' | 'observe';
  readonly also: readonly SilentAlso[];
  readonly blackouts: readonly ResolvedBlackout[];
  /** The row of a command by its id. */
  readonly commandOf: (id: string) => CommandRow | undefined;
}

type Verdict =
  | { readonly kind: 'started' | 'excused' | 'waits' }
  | { readonly kind: 'missed'; readonly reason: SilenceReason; readonly detail?: string | undefined };

/** The ids of the commands whose rows `judgeSchedule` asks for. */
export function commandsToRead(
  schedule: WatchedSchedule,
  before: ScheduleMemory | undefined,
  now: Date,
): readonly string[] {
  const memory = memoryOf(schedule, before, now);
  const last = memory.missed === undefined ? [] : [new Date(memory.missed.last)];
  return [...last, ...dueOccurrences(schedule, memory, now)].map((at) => idOf(schedule, at));
}

/** What is known of a schedule after the occurrences that are due were judged. */
export function judgeSchedule(
  schedule: WatchedSchedule,
  before: ScheduleMemory | undefined,
  facts: SilenceFacts,
): ScheduleMemory {
  const { now } = facts;
  const memory = memoryOf(schedule, before, now);
  if (facts.mode === 'observe' && !facts.also.includes('observe')) return observed(memory, now);
  let judged = againAt(schedule, memory, facts);
  for (const at of dueOccurrences(schedule, memory, now)) {
    const verdict = verdictOf(schedule, at, facts);
    if (verdict.kind === 'waits') break;
    judged = { ...withVerdict(judged, verdict, at), judgedUntil: at.toISOString() };
  }
  return withSilence(schedule, judged, now);
}

/**
 * A schedule that is new, or whose times changed, begins at this moment: what it did before is not
 * known, or was another schedule.
 */
function memoryOf(schedule: WatchedSchedule, before: ScheduleMemory | undefined, now: Date): ScheduleMemory {
  const times = [schedule.expression, schedule.timezone, schedule.startDate ?? ''].join(' ').trim();
  return before?.times === times ? before : { times, judgedUntil: now.toISOString() };
}

/** Occurrences at which the stage only observed are none. */
function observed({ times, startedAt }: ScheduleMemory, now: Date): ScheduleMemory {
  return { times, startedAt, judgedUntil: now.toISOString() };
}

/** Occurrences that were not judged yet, the oldest first. */
function dueOccurrences(schedule: WatchedSchedule, { judgedUntil }: ScheduleMemory, now: Date): readonly Date[] {
  const expression = expressionOf(schedule);
  if (expression === undefined) return [];
  const due: Date[] = [];
  for (const at of fireTimes(expression, schedule.timezone, new Date(judgedUntil), boundsOf(schedule))) {
    if (at > now || due.length === mostOccurrences) break;
    due.push(at);
  }
  return due;
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

/** Scheduler fills in the instant without fractions of a second. */
function idOf({ name }: WatchedSchedule, at: Date): string {
  return commandIds.schedule(name, `${at.toISOString().slice(0, 19)}Z`);
}

/**
 * The last occurrence without a start may have one by now, or another reason: it came late, or a
 * person had it repeated.
 */
function againAt(schedule: WatchedSchedule, memory: ScheduleMemory, facts: SilenceFacts): ScheduleMemory {
  const { missed } = memory;
  if (missed === undefined) return memory;
  const verdict = verdictOf(schedule, new Date(missed.last), facts);
  if (verdict.kind === 'started') return withVerdict(memory, verdict, new Date(missed.last));
  if (verdict.kind !== 'missed') return memory;
  const { reason, detail } = verdict;
  // Why no command came was looked up before.
  return reason === 'NO_MESSAGE' ? memory : { ...memory, missed: { ...missed, reason, detail } };
}

function withVerdict(memory: ScheduleMemory, verdict: Verdict, at: Date): ScheduleMemory {
  const instant = at.toISOString();
  if (verdict.kind === 'started') return { ...memory, startedAt: instant, missed: undefined };
  if (verdict.kind !== 'missed') return memory;
  const { missed } = memory;
  const { reason, detail } = verdict;
  const next: Missed = {
    count: (missed?.count ?? 0) + 1,
    first: missed?.first ?? instant,
    last: instant,
    reason,
    detail,
  };
  return { ...memory, missed: next };
}

function verdictOf(schedule: WatchedSchedule, at: Date, facts: SilenceFacts): Verdict {
  if (facts.mode === 'observe') return { kind: 'missed', reason: 'OBSERVED' };
  const row = facts.commandOf(idOf(schedule, at));
  if (isStart(row)) return { kind: 'started' };
  const isExcused =
    !facts.also.includes('blackouts') &&
    isInBlackout(schedule, row, at, facts) &&
    endsAfter(schedule, at, facts.blackouts);
  if (isAwaited(row, facts.now.getTime() - at.getTime(), isExcused)) return { kind: 'waits' };
  if (isExcused) return { kind: 'excused' };
  return { kind: 'missed', ...reasonOf(row) };
}

/** A request that may have started the run is a start, and the ledger asks a person about it. */
function isStart(row: CommandRow | undefined): boolean {
  return row?.outcome?.kind === 'applied' || row?.mayHaveRun !== undefined;
}

function isAwaited(row: CommandRow | undefined, ageMs: number, isExcused: boolean): boolean {
  if (row === undefined) return ageMs < graceMs;
  if (row.outcome !== undefined) return false;
  return row.deferred === undefined ? ageMs < mostPendingMs : isExcused;
}

function reasonOf(row: CommandRow | undefined): {
  readonly reason: SilenceReason;
  readonly detail?: string | undefined;
} {
  if (row === undefined) return { reason: 'NO_MESSAGE' };
  const { outcome, deferred } = row;
  if (outcome !== undefined) {
    const detail = outcome.detail && cappedDetail(outcome.detail, mostDetailBytes);
    return { reason: reasonOfEnd(outcome.kind, outcome.reason), detail };
  }
  return {
    reason: deferred === undefined ? 'NO_OUTCOME' : 'BLACKOUT',
    detail: deferred && `deferred until ${deferred.until}`,
  };
}

function isInBlackout(
  { campaign }: WatchedSchedule,
  row: CommandRow | undefined,
  at: Date,
  { blackouts }: SilenceFacts,
): boolean {
  if (row?.outcome?.reason === 'BLACKOUT' || row?.deferred !== undefined) return true;
  return coveringBlackout(blackouts, campaign, at) !== undefined;
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

/**
 * Rings once there are enough of them. A schedule of one occurrence rings at it, and for a day: no
 * start is to come that could end it.
 */
function withSilence(schedule: WatchedSchedule, memory: ScheduleMemory, now: Date): ScheduleMemory {
  const { missed, silentSince, toldAt, ...rest } = memory;
  const isOnce = expressionOf(schedule)?.kind === 'at';
  if (missed === undefined) return rest;
  if (isOnce && now.getTime() - Date.parse(missed.last) > dayMs) return rest;
  if (missed.count < (isOnce ? 1 : schedule.silentAfter)) return { ...rest, missed };
  return { ...rest, missed, silentSince: silentSince ?? missed.last, toldAt };
}
