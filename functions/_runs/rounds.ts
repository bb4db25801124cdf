import { lowMark } from '#shared/ledger/rows/run-row.ts';
import { isPastHorizon } from '#shared/ledger/open-rows.ts';
import type { RunReading } from '#shared/ledger/rows/run-reading.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { type RecordDelivery, done, later, type RecordResult } from '../_handler/queue-record.ts';
import { apply, loadState, withSwitchesNow } from './load.ts';
import { decideHeldStart, decideStartAnswer, lastOfHeldStart } from './decide/held-start.ts';
import { changedEntry, ends, entryIn, idsOf, parked, storedOwn } from './decide/rows.ts';
import { decideNewStart, endGone } from './decide/start.ts';
import type {
  Answered,
  Called,
  CommandEvent,
  CommandState,
  Decision,
  LastChance,
  Moment,
  RunCommandDeps,
  Settling,
} from './decide/state.ts';
import { decideStop, decideStopAnswer, lastOfStop } from './decide/stop.ts';
import { shortWaitMs } from './decide/waiting.ts';
import { reportOutcome } from './outcomes.ts';

/**
 * The one place that knows the order of questions about a command. Pure and total: it answers the
 * rows to write, at most one effect, and an outcome or a wait. Its table stands in
 * docs/reference/ledger.md.
 */
export function decide(moment: Moment, event: CommandEvent): Decision {
  const isStart = moment.command.action === 'start';
  switch (event.type) {
    case 'answered':
      if (storedOwn(moment)?.outcome !== undefined) return lateAnswer(moment, event);
      return isStart ? decideStartAnswer(moment, event) : decideStopAnswer(moment, event);
    case 'last-chance':
      return decideLastChance(moment, event);
    case 'campaign-read':
    case 'command': {
      if (!isStart) return decideStop(moment);
      const read = event.type === 'campaign-read' ? event.result : undefined;
      const found = entryIn(moment, moment.command.id);
      return found === undefined ? decideNewStart(moment, read) : decideHeldStart(moment, found, read);
    }
  }
}

/** The command has its outcome already, by another delivery: only the count of requests without an answer changes. */
function lateAnswer(moment: Moment, { answer }: Answered): Decision {
  const found = entryIn(moment, moment.command.id);
  const isUnknown = answer.next !== 'applied' && answer.applied === 'unknown';
  const isAnswer = moment.command.action === 'start' && !isUnknown;
  const unanswered = Math.max(0, (found?.entry.unanswered ?? 0) - 1);
  const writes = found !== undefined && isAnswer ? [changedEntry(found, { unanswered })] : [];
  return { writes, then: { kind: 'wait', delayMs: shortWaitMs, why: 'its outcome is recorded already' } };
}

/** The retry deadline passed, three attempts died, or the queue gave the message up. The command gets its outcome now, and it says what may have come of it. */
export function decideLastChance(moment: Settling, event: LastChance): Decision {
  if (moment.command.action === 'stop') return lastOfStop(moment, event);
  const found = entryIn(moment, moment.command.id);
  if (found !== undefined) return lastOfHeldStart(moment, found, event);
  const own = storedOwn(moment);
  // Its run was ended meanwhile: that says more than that it took too long.
  if (own?.campaignRunId !== undefined) return endGone(moment, own);
  return ends(moment, parked(event.reason, event.detail, { evidence: own?.attempt?.evidence }));
}

/** A bound, so that no fault can loop for ever: a stop by name makes two decisions for each of its runs. */
const mostRounds = 60;

/** A round whose rows were written concurrently is decided again this often; then the command waits. */
export const mostLostRounds = 5;

/** The state of a command between two decisions. */
interface Round {
  readonly state: CommandState;
  readonly event: CommandEvent;
  /** What the last call showed, to tell the gate once its rows are written. */
  readonly report?: Called<unknown>['report'];
  /** Rounds whose rows were written concurrently. */
  readonly lost: number;
}

/** The loop: decide, apply, make the one effect, and decide again with its answer. */
export async function decideCommand(
  state: CommandState,
  event: CommandEvent,
  work: RecordDelivery,
  deps: RunCommandDeps,
): Promise<RecordResult> {
  let round: Round = { state, event, lost: 0 };
  for (let count = 0; count < mostRounds; count += 1) {
    const next = await playRound(round, work, deps);
    if ('kind' in next) return next;
    round = next;
  }
  throw new Error(`a command was decided ${mostRounds} times in one attempt`);
}

async function playRound(round: Round, work: RecordDelivery, deps: RunCommandDeps): Promise<Round | RecordResult> {
  const { state, event, report } = round;
  const { context } = work;
  const ended = storedOwn(state);
  // A copy of this message may have ended the command meanwhile; only the answer to a request may still change a row.
  if (ended?.outcome !== undefined && event.type !== 'answered')
    return reportOutcome(ended, work, deps, { isRepeat: true });
  const decision = decide(await momentOf(state, event, work, deps), event);
  if (decision.effect?.do === 'patch') await deps.rateLimiter.take('runs', context.remainingMs());
  const rows = await apply(decision.writes, state.rows, deps);
  if (rows === 'row-changed') return loadAgain(round, work, deps);
  await report?.();
  const written = { ...state, rows };
  warnOfFewIds(decision, written, work, deps);
  const made = await perform(decision, work, deps);
  if (made === undefined) return afterWrite(decision, { state: written, event, lost: round.lost }, work, deps);
  // What a call answered has its own rounds to be written in.
  const next = made.event.type === 'answered' ? written : await withSwitchesNow(written, deps);
  const shown = made.shown === undefined ? state.shown : new Map([...(state.shown ?? []), made.shown]);
  return { event: made.event, report: made.report, state: { ...next, shown }, lost: 0 };
}

/** An answer is decided until the attempt ends, anything else five times. */
async function loadAgain(
  round: Round,
  { record, context }: RecordDelivery,
  deps: RunCommandDeps,
): Promise<Round | RecordResult> {
  const { sent, sender } = round.state;
  const lost = round.lost + 1;
  const isAnswer = round.event.type === 'answered';
  if (isAnswer ? context.remainingMs() <= shortWaitMs : lost >= mostLostRounds) {
    return later(shortWaitMs, 'the rows of this command changed concurrently');
  }
  const state = await loadState({ sent, sender, sentAt: record.sentAt, isAgain: true }, deps);
  return { ...round, state: { ...state, shown: round.state.shown }, lost };
}

/** The gate and the rate limiter are asked before each decision that may call; an answer is decided as it is. */
async function momentOf(
  state: CommandState,
  { type }: CommandEvent,
  { record, context }: RecordDelivery,
  deps: RunCommandDeps,
): Promise<Moment> {
  const { config, callBudgetMs, rateLimiter, gate, random } = deps;
  const { body, receiveCount, sentAt } = record;
  const mayCall = type === 'command' || type === 'campaign-read';
  const gateWaitMs = mayCall ? await gate.waitMs(context.remainingMs, context.attemptId) : 0;
  // After its read a start never goes back for a slot, or it would read for ever: its PATCH waits for the distance alone.
  const runsMs = type === 'campaign-read' || state.shown !== undefined ? 0 : rateLimiter.waitMs('runs');
  const slots = { runsMs, readsMs: rateLimiter.waitMs('reads', 'runs') };
  const remainingMs = context.remainingMs();
  const delivery = { owner: context.attemptId, remainingMs, body, receiveCount, sentAt, random };
  return { ...state, config, callBudgetMs, gateWaitMs, slots, delivery, now: context.now() };
}

/** What an effect answered. */
interface Made extends Pick<Round, 'event' | 'report'> {
  readonly shown?: readonly [string, RunReading | undefined];
}

/** Makes the effect. What it answers is the event to decide on next; the reading of a run is kept until the attempt ends. */
async function perform(
  { effect }: Decision,
  { context }: RecordDelivery,
  deps: RunCommandDeps,
): Promise<Made | undefined> {
  const { calls, rateLimiter } = deps;
  if (effect?.do.startsWith('read-') === true) await rateLimiter.take('reads', context.remainingMs());
  switch (effect?.do) {
    case undefined:
      return undefined;
    case 'send-ends':
      for (const end of effect.ends) {
        await deps.commands.send(JSON.stringify(end));
        const { id, campaignRunId, reason } = end;
        const sentence = `stop of ${campaignRunId} sent: ${reason}`;
        context.log.info(logEvents.commandSent, sentence, { commandId: id, campaignRunId });
      }
      return undefined;
    case 'read-campaign': {
      const { answer, report } = await calls.readCampaign(effect.campaignId, context);
      return { event: { type: 'campaign-read', result: answer }, report };
    }
    case 'read-run': {
      const { answer, report } = await calls.readRun(effect.campaignRunId, context);
      return { event: { type: 'command' }, report, shown: [effect.campaignRunId, answer] };
    }
    case 'patch': {
      const { answer, report } = await calls.patch(effect, context);
      return { event: { type: 'answered', campaignRunId: effect.input.campaignRunId, answer }, report };
    }
  }
}

/** How the delivery ends, or what comes next. */
async function afterWrite(
  { then }: Decision,
  { state, event, lost }: Round,
  work: RecordDelivery,
  deps: RunCommandDeps,
): Promise<Round | RecordResult> {
  const { record, context } = work;
  const own = storedOwn(state);
  switch (then.kind) {
    case 'next':
      return { state, event: { type: 'command' }, lost };
    case 'outcome':
      return reportOutcome(own, work, deps);
    case 'deferred':
      context.log.info(logEvents.startDeferred, then.detail, { messageId: record.messageId });
      return done();
    case 'wait':
      return isGivenUp(event, own, work) ? lastChance(then.why, { state, event, lost }) : later(then.delayMs, then.why);
  }
}

/** Past the retry deadline a wait of a command that was tried stands no more. */
function isGivenUp(event: CommandEvent, own: CommandRow | undefined, { record, context }: RecordDelivery): boolean {
  const isTried = event.type === 'answered' || (own?.attempt?.tries ?? 0) > 1;
  const isOpen = event.type !== 'last-chance' && own?.outcome === undefined;
  return isTried && isOpen && isPastHorizon(record.sentAt, context.now());
}

function lastChance(why: string, round: Round): Round {
  const detail = `not done within a day; the last attempt: ${why}`;
  return { ...round, event: { type: 'last-chance', reason: 'HORIZON_EXCEEDED', detail } };
}

/** A start takes an id, and few are left: a person binds new ones in time. */
function warnOfFewIds({ effect }: Decision, state: CommandState, { context }: RecordDelivery, deps: RunCommandDeps) {
  const { run } = state;
  if (effect?.do !== 'patch' || effect.to !== 'start' || run === undefined) return;
  const left = idsOf(state, run, context.now()).free.length;
  if (left >= lowMark(run, deps.config.runIdsLow)) return;
  deps.count(metricNames.runIdsLow, 1);
  const next = run.pool === undefined ? `autopilot bind ${run.name} ID…` : 'its pool is not filled';
  const sentence = `${run.name} has ${left} unused run ids left: ${next}`;
  context.log.warn(logEvents.bindingRunningLow, sentence, { run: run.name, left });
}
