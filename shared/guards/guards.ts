import type { RecordedVerdict } from '../ledger/rows/command-row.ts';
import { isCounted, monthOf, type Reservation, reservationsAt, startsUsed } from '../ledger/rows/guard-row.ts';
import { isOnAt, type SwitchRow } from '../ledger/switches.ts';
import { defaultValidFor } from '../messages/campaign-run-command.ts';
import { coveringBlackout } from '../schedule/blackouts.ts';
import { durationMs } from '../schedule/duration.ts';
import type { GuardName, SkipReason } from '../vocabulary/reason-codes.ts';
import { type GuardAnswer, type GuardNeed, type Judgement, type StartQuestion } from './start-question.ts';

/** One guard: its name, the reason of its refusal, its judge, and what must be read before it is asked. */
export interface Guard {
  readonly name: GuardName;
  readonly reason: SkipReason;
  readonly needs: GuardNeed | 'nothing';
  readonly judge: (question: StartQuestion) => GuardAnswer;
}

const pass = { kind: 'pass' } as const;

/** The guards in the order in which they are asked: the first refusal gives the reason. Each `judge` is pure. */
export const guards: readonly Guard[] = [
  { name: 'frozen', reason: 'FROZEN', needs: 'switches', judge: judgeFrozen },
  { name: 'paused', reason: 'PAUSED', needs: 'switches', judge: judgePaused },
  { name: 'validity', reason: 'MISSED_WINDOW', needs: 'nothing', judge: judgeValidity },
  { name: 'blackout', reason: 'BLACKOUT', needs: 'nothing', judge: judgeBlackout },
  { name: 'overlap', reason: 'OVERLAP', needs: 'guard-row', judge: judgeOverlap },
  { name: 'gap', reason: 'MINIMUM_GAP', needs: 'campaign', judge: judgeGap },
  { name: 'budget', reason: 'BUDGET', needs: 'guard-row', judge: judgeBudget },
];

/**
 * The guards that do not depend on the state of the run. They judge a start before it waits, so no
 * start waits for ever.
 */
export const timeGuards = guards.filter(({ name }) => name === 'frozen' || name === 'paused' || name === 'validity');

/** The same with the blackouts: a start that waits for its run to settle is put off or skipped by one all the same. */
export const waitingGuards = guards.slice(
  0,
  guards.findIndex(({ name }) => name === 'overlap'),
);

/**
 * Decides about a start of any sender, and returns the verdict of each guard. The first refusal counts; if a blackout defers the start, the
 * guards after it judge the end of that blackout. Pure; stops and updates pass all guards.
 * @example judgeStart(question, guards).kind // 'pass'
 */
export function judgeStart(question: StartQuestion, asked: readonly Guard[] = guards): Judgement {
  const verdicts: RecordedVerdict[] = [];
  let about = question;
  let found: GuardAnswer = pass;
  for (const guard of asked) {
    if (waitsForReading(guard, about)) continue;
    const answer = guard.judge(about);
    const isOverridden = question.command.override?.guards.includes(guard.name) === true;
    verdicts.push(verdictOf(guard.name, answer, isOverridden));
    if (isOverridden || answer.kind === 'pass') continue;
    if (found.kind === 'pass' || (found.kind === 'stop-first' && answer.kind !== 'stop-first')) found = answer;
    if (answer.kind === 'defer') about = { ...about, effectAt: new Date(answer.until) };
  }
  return { ...found, verdicts };
}

/** The minimum gap is judged in a later round, once the campaign was read. */
function waitsForReading({ needs }: Guard, { reading, guards: settings }: StartQuestion): boolean {
  return needs === 'campaign' && reading === undefined && settings.minimumGap !== undefined;
}

function verdictOf(guard: GuardName, answer: GuardAnswer, isOverridden: boolean): RecordedVerdict {
  if (answer.kind === 'pass') return { guard, verdict: 'apply' };
  const { kind, detail } = answer;
  if (isOverridden) return { guard, verdict: 'overridden', detail };
  if (kind === 'stop-first') return { guard, verdict: 'apply', detail };
  return { guard, verdict: kind === 'unreadable' ? 'skip' : kind, detail };
}

/** The kill switch of the stage. */
function judgeFrozen({ switches, now }: StartQuestion): GuardAnswer {
  const freeze = switches.find((row) => row.scope === 'stage' && isOnAt(row, now));
  return freeze === undefined ? pass : { kind: 'skip', reason: 'FROZEN', detail: `frozen ${switchedBy(freeze)}` };
}

/** A campaign or a schedule that a person holds back. */
function judgePaused({ switches, now }: StartQuestion): GuardAnswer {
  const pause = switches.find((row) => row.scope !== 'stage' && isOnAt(row, now));
  if (pause === undefined) return pass;
  return { kind: 'skip', reason: 'PAUSED', detail: `${pause.scope} ${pause.name} paused ${switchedBy(pause)}` };
}

function switchedBy({ by, at, until, reason }: SwitchRow): string {
  return `by ${by} since ${at}${until === undefined ? '' : ` until ${until}`}: ${reason}`;
}

/** A redelivered message must not start last night's run at noon. */
function judgeValidity(question: StartQuestion): GuardAnswer {
  const { command, now, deferredUntil } = question;
  const { from, until, validFor } = validityOf(question);
  if (now <= until) return pass;
  const since = deferredUntil === undefined ? `issued ${command.issuedAt}` : `put off until ${from.toISOString()}`;
  const detail = `${since}, valid for ${validFor}, and it is ${now.toISOString()}`;
  return { kind: 'skip', reason: 'MISSED_WINDOW', detail };
}

/** From when to when a start may be made. Pure. */
export function validityOf({ command, deferredUntil }: Pick<StartQuestion, 'command' | 'deferredUntil'>): {
  readonly from: Date;
  readonly until: Date;
  readonly validFor: string;
} {
  const validFor = command.validFor ?? defaultValidFor;
  const fromMs = Math.max(Date.parse(command.issuedAt), deferredUntil === undefined ? 0 : Date.parse(deferredUntil));
  return { from: new Date(fromMs), until: new Date(fromMs + (durationMs(validFor) ?? 0)), validFor };
}

/** A named window of the configuration. */
function judgeBlackout({ blackouts, campaign, effectAt }: StartQuestion): GuardAnswer {
  const covering = coveringBlackout(blackouts, campaign, effectAt);
  if (covering === undefined) return pass;
  const { name, starts } = covering.blackout;
  const until = covering.until.toISOString();
  const detail = `the blackout ${name} covers ${effectAt.toISOString()}, until ${until}`;
  return starts === 'skip'
    ? { kind: 'skip', reason: 'BLACKOUT', detail }
    : { kind: 'defer', until, blackout: name, detail };
}

/** The PATCH returns at once and the run goes on for hours: only the reservation knows that it is in flight. */
function judgeOverlap(question: StartQuestion): GuardAnswer {
  const { guards: settings, ending, noRoom, effectAt } = question;
  const others = othersInFlight(question).filter((one) => !ending.some(({ startId }) => startId === one.startId));
  const [other] = others;
  if (other === undefined) return pass;
  const since = `run ${other.campaignRunId} of ${settings.target} counts as in flight since ${other.since}`;
  const detail =
    other.plannedStopAt === undefined
      ? `${since}, at most until ${other.until}`
      : `${since}, its stop is planned for ${other.plannedStopAt}`;
  if (settings.overlap !== 'stop-previous') return { kind: 'skip', reason: 'OVERLAP', detail };
  const later = others.find(({ startId }) => noRoom.some((one) => one.startId === startId));
  if (later === undefined) return { kind: 'stop-first', runs: others, detail: `${detail}; it is stopped first` };
  const why = `its start (${later.startId}) is not older than this one by more than a millisecond`;
  return { kind: 'skip', reason: 'OVERLAP', detail: `${detail}; ${why}, at ${effectAt.toISOString()}` };
}

/** What the overlap of a start depends on. */
type OverlapQuestion = Pick<StartQuestion, 'command' | 'guards' | 'campaignRunId' | 'guard' | 'now' | 'effectAt'>;

/** The runs that a start would overlap with. One run id is one run: `overlap: 'allow'` is about other runs. Pure. */
export function othersInFlight(question: OverlapQuestion): readonly Reservation[] {
  const { command, guards: settings, campaignRunId, guard, now, effectAt } = question;
  return reservationsAt(guard, now).filter((one) => {
    if (one.startId === command.id) return false;
    if (one.campaignRunId === campaignRunId) return true;
    if (settings.overlap === 'allow') return false;
    const endMs = Date.parse(one.plannedStopAt ?? one.until);
    // A planned stop that is due and not applied ends nothing yet.
    return endMs > effectAt.getTime() || endMs <= now.getTime();
  });
}

/**
 * The campaign ran a short time ago. A start by a person or another tool counts as well, and one of
 * ours before the gateway shows it.
 */
function judgeGap(question: StartQuestion): GuardAnswer {
  const { guards: settings, reading, effectAt } = question;
  const gapMs = durationMs(settings.minimumGap ?? '');
  if (gapMs === undefined || reading === undefined) return pass;
  const { lastRunAt, oddLastRunAt, runCount } = reading;
  if (lastRunAt === undefined) {
    if (oddLastRunAt === undefined && runCount === 0) return pass;
    const shown = oddLastRunAt === undefined ? 'shows no lastRunAt' : `shows lastRunAt as "${oddLastRunAt}"`;
    return { kind: 'unreadable', detail: `the campaign ${shown}, so its minimum gap cannot be judged` };
  }
  const ranMs = Math.max(Date.parse(lastRunAt), ...ownStartsMs(question));
  const nextMs = ranMs + gapMs;
  if (effectAt.getTime() >= nextMs) return pass;
  const next = new Date(nextMs).toISOString();
  const ranAt = ranMs === Date.parse(lastRunAt) ? lastRunAt : new Date(ranMs).toISOString();
  const detail = `the campaign ran at ${ranAt}, and its minimum gap ${settings.minimumGap} ends ${next}`;
  return { kind: 'skip', reason: 'MINIMUM_GAP', detail };
}

/** When the runs of this campaign began that are in flight, in milliseconds. */
function ownStartsMs({ command, campaignId, guard }: StartQuestion): readonly number[] {
  const ours = (guard?.reservations ?? []).filter((one) => one.campaignId === campaignId && one.startId !== command.id);
  return campaignId === undefined ? [] : ours.map(({ since }) => Date.parse(since));
}

/** Each run costs money. */
function judgeBudget({ command, campaign, guards: settings, guard, timezone, effectAt }: StartQuestion): GuardAnswer {
  const { startsPerMonth } = settings;
  if (campaign === undefined || startsPerMonth === undefined) return pass;
  const where = { month: monthOf(effectAt, timezone), campaign };
  const used = startsUsed(guard, where);
  if (used < startsPerMonth || isCounted(guard, where, command.id)) return pass;
  const detail = `${used} of ${startsPerMonth} starts of ${campaign} in ${where.month} are used`;
  return { kind: 'skip', reason: 'BUDGET', detail };
}
