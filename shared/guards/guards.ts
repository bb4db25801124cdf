import type { RecordedVerdict } from '../ledger/rows/command-row.ts';
import { isCounted, monthOf, startsUsed } from '../ledger/rows/target-row.ts';
import { isOnAt } from '../ledger/switches.ts';
import type { SwitchRow } from '../ledger/rows/stage-rows.ts';
import { defaultValidFor } from '../messages/campaign-run-command.ts';
import { coveringBlackout } from '../schedule/blackouts.ts';
import { durationMs } from '../schedule/duration.ts';
import type { GuardName, SkipReason } from '../vocabulary/reason-codes.ts';
import type { GuardAnswer, InTheWay, Judgement, StartQuestion } from './start-question.ts';

/** One guard: its name, the reason of its refusal, and its judge. */
export interface Guard {
  readonly name: GuardName;
  readonly reason: SkipReason;
  readonly judge: (question: StartQuestion) => GuardAnswer;
}

const pass = { kind: 'pass' } as const;

/** The guards in the order in which they are asked: the first refusal gives the reason. Each `judge` is pure. */
export const guards: readonly Guard[] = [
  { name: 'frozen', reason: 'FROZEN', judge: judgeFrozen },
  { name: 'paused', reason: 'PAUSED', judge: judgePaused },
  { name: 'alarm', reason: 'HELD_BY_ALARM', judge: judgeAlarm },
  { name: 'validity', reason: 'MISSED_WINDOW', judge: judgeValidity },
  { name: 'blackout', reason: 'BLACKOUT', judge: judgeBlackout },
  { name: 'overlap', reason: 'OVERLAP', judge: judgeOverlap },
  { name: 'gap', reason: 'MINIMUM_GAP', judge: judgeGap },
  { name: 'budget', reason: 'BUDGET', judge: judgeBudget },
];

/** The guards that a start in doubt is asked again: those that do not look at other runs. */
export const guardsOfDoubt = guards.filter(({ name }) =>
  ['frozen', 'paused', 'alarm', 'validity', 'blackout'].includes(name),
);

/**
 * Decides about a start, with the verdict of each guard. The first refusal counts. No run is ended
 * for a start that a later guard refuses. Pure.
 */
export function judgeStart(question: StartQuestion, asked: readonly Guard[] = guards): Judgement {
  const verdicts: RecordedVerdict[] = [];
  let found: GuardAnswer & { readonly by?: GuardName } = pass;
  for (const { name, judge } of asked) {
    if (name === 'gap' && isGapUnread(question)) continue;
    const answer = judge(question);
    const isOverridden = question.command.override?.guards.includes(name) === true;
    verdicts.push(verdictOf(name, answer, isOverridden));
    if (isOverridden || answer.kind === 'pass') continue;
    if (found.kind === 'pass' || (found.kind === 'stop-first' && answer.kind !== 'stop-first')) {
      found = { ...answer, by: name };
    }
  }
  return { ...found, verdicts };
}

/** The minimum gap is judged once the campaign was read. */
export function isGapUnread({ command, reading, guards: settings }: StartQuestion): boolean {
  const isAsked = settings.minimumGap !== undefined && command.override?.guards.includes('gap') !== true;
  return isAsked && reading === undefined;
}

function verdictOf(guard: GuardName, answer: GuardAnswer, isOverridden: boolean): RecordedVerdict {
  if (answer.kind === 'pass') return { guard, verdict: 'apply' };
  const { kind, detail } = answer;
  if (isOverridden) return { guard, verdict: 'overridden', detail };
  return { guard, verdict: kind === 'skip' || kind === 'defer' ? kind : 'apply', detail };
}

/** The kill switch of the stage. */
function judgeFrozen({ switches, now }: StartQuestion): GuardAnswer {
  const freeze = switches.find((row) => row.scope === 'stage' && isOnAt(row, now));
  return freeze === undefined ? pass : { kind: 'skip', reason: 'FROZEN', detail: `frozen ${switchedBy(freeze)}` };
}

/** A campaign or a schedule that a person holds back. */
function judgePaused({ switches, now }: StartQuestion): GuardAnswer {
  const pause = switches.find((row) => (row.scope === 'campaign' || row.scope === 'schedule') && isOnAt(row, now));
  if (pause === undefined) return pass;
  return { kind: 'skip', reason: 'PAUSED', detail: `${pause.scope} ${pause.name} paused ${switchedBy(pause)}` };
}

/** An alarm of its target rings: a system in trouble is not attacked. */
function judgeAlarm({ switches, campaign, now }: StartQuestion): GuardAnswer {
  const hold = switches.find((row) => row.scope === 'alarm' && isOnAt(row, now));
  if (hold === undefined) return pass;
  return { kind: 'skip', reason: 'HELD_BY_ALARM', detail: `campaign ${campaign} held ${switchedBy(hold)}` };
}

function switchedBy({ by, at, until, reason }: SwitchRow): string {
  return `by ${by} since ${at}${until === undefined ? '' : ` until ${until}`}: ${reason}`;
}

/** A redelivered message must not start last night's run at noon, nor one that would be over before it begins. */
function judgeValidity(question: StartQuestion): GuardAnswer {
  const { command, now, deferredUntil, times } = question;
  const { from, until, validFor } = validityOf(question);
  const since = deferredUntil === undefined ? `asked ${command.issuedAt}` : `deferred until ${from.toISOString()}`;
  const late = `${since}, valid for ${validFor}, and it is ${now.toISOString()}`;
  if (now > until) return { kind: 'skip', reason: 'MISSED_WINDOW', detail: late };
  if (times.startAt < times.endsAt) return pass;
  const over = `it would begin at ${times.startAt.toISOString()}, and its run is over at ${times.endsAt.toISOString()}`;
  return { kind: 'skip', reason: 'MISSED_WINDOW', detail: over };
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

/** A named window of the configuration, or a calendar: one that could not be read counts as closed while the start is valid. */
function judgeBlackout({ blackouts, unreadCalendars = [], campaign, times: { startAt } }: StartQuestion): GuardAnswer {
  const covering = blackouts.length === 0 ? undefined : coveringBlackout(blackouts, campaign, startAt);
  const unread = unreadCalendars.find(({ campaigns }) => campaigns === undefined || campaigns.includes(campaign));
  if (covering === undefined) return unread === undefined ? pass : { kind: 'later', detail: unread.why };
  const { name, starts } = covering.blackout;
  const until = covering.until.toISOString();
  const detail = `the blackout ${name} covers ${startAt.toISOString()}, until ${until}`;
  return starts === 'skip'
    ? { kind: 'skip', reason: 'BLACKOUT', detail }
    : { kind: 'defer', until, blackout: name, detail };
}

/** The PATCH returns at once and the run goes on for hours: only its entry knows that it is in flight. */
function judgeOverlap(question: StartQuestion): GuardAnswer {
  const { guards: settings, inTheWay } = question;
  const [first] = inTheWay;
  if (first === undefined || settings.overlap === 'allow') return pass;
  if (settings.overlap === 'stop-previous') {
    const kept = inTheWay.find(({ isLater, isEndRefused }) => isEndRefused || isLater);
    if (kept === undefined) {
      const runs = inTheWay.map(({ entry }) => entry);
      return { kind: 'stop-first', runs, detail: `${inFlight(first)}; it is ended first` };
    }
    const why = kept.isEndRefused ? 'the gateway refused to end it' : 'its start is later than this one';
    return { kind: 'skip', reason: 'OVERLAP', detail: `${inFlight(kept)}; ${why}` };
  }
  const running = inTheWay.find((one) => one.entry.state === 'running' && !isNearlyDue(one, question));
  if (running !== undefined) return { kind: 'skip', reason: 'OVERLAP', detail: inFlight(running) };
  return { kind: 'later', detail: `${inFlight(first)}; it is ${first.entry.state}` };
}

function inFlight({ entry: { run, due, endsAt, plansStop } }: InTheWay): string {
  const end = plansStop ? `its stop is planned for ${endsAt}` : `at most until ${endsAt}`;
  return `${run} counts as in flight since ${due}, ${end}`;
}

/** Back to back is no overlap: a start waits for the planned stop of the run before it. */
const nearlyDueMs = 60_000;

function isNearlyDue({ entry, isPlannedStopOver }: InTheWay, { now, times }: StartQuestion): boolean {
  const untilMs = Math.max(times.startAt.getTime(), now.getTime() + nearlyDueMs);
  return entry.plansStop && !isPlannedStopOver && Date.parse(entry.endsAt) <= untilMs;
}

/** The campaign ran, or will run, too short a time from this start. A start by a person or another tool counts as well. */
function judgeGap(question: StartQuestion): GuardAnswer {
  const { guards: settings, reading, times } = question;
  const gapMs = durationMs(settings.minimumGap ?? '');
  if (gapMs === undefined || reading === undefined) return pass;
  const { lastRunAt, oddLastRunAt, lastRun, runCount = 0 } = reading;
  const isUnreadable =
    oddLastRunAt !== undefined || (lastRunAt === undefined && (lastRun !== undefined || runCount > 0));
  if (isUnreadable) {
    const shown = oddLastRunAt === undefined ? 'shows no lastRunAt' : `shows lastRunAt as "${oddLastRunAt}"`;
    return { kind: 'later', detail: `the campaign ${shown}, so its minimum gap cannot be judged` };
  }
  const near = [...(lastRunAt === undefined ? [] : [lastRunAt]), ...ownStarts(question)].find(
    (instant) => Math.abs(times.startAt.getTime() - Date.parse(instant)) < gapMs,
  );
  if (near === undefined) return pass;
  const detail = `the campaign has a start at ${near}, and its minimum gap is ${settings.minimumGap}`;
  return { kind: 'skip', reason: 'MINIMUM_GAP', detail };
}

/** When the runs of this campaign were due that this stage started, those in flight included. */
function ownStarts({ campaign, campaignId, target, inTheWay }: StartQuestion): readonly string[] {
  const isOwn = ({ entry }: InTheWay) =>
    entry.campaign === campaign || (campaignId !== undefined && entry.campaignId === campaignId);
  const last = target?.lastDue?.[campaign];
  return [...inTheWay.filter(isOwn).map(({ entry }) => entry.due), ...(last === undefined ? [] : [last])];
}

/** Each run costs money. */
function judgeBudget({
  command,
  campaign,
  guards: settings,
  target,
  timezone,
  times: { due },
}: StartQuestion): GuardAnswer {
  const { startsPerMonth } = settings;
  if (startsPerMonth === undefined) return pass;
  const where = { month: monthOf(due, timezone), campaign };
  const used = startsUsed(target, where);
  if (used < startsPerMonth || isCounted(target, where, command.id)) return pass;
  const detail = `${used} of ${startsPerMonth} starts of ${campaign} in ${where.month} are used`;
  return { kind: 'skip', reason: 'BUDGET', detail };
}
