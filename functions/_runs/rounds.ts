import { isPastHorizon } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { freeIds, lowRunIds } from '#shared/ledger/rows/run-id-pool-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { done, later, type RecordResult } from '../_handler/observe.ts';
import { applyTo } from './apply.ts';
import { decide } from './decide/decide.ts';
import { shortWaitMs } from './decide/decision.ts';
import type {
  Called,
  CommandEvent,
  CommandState,
  CommandWork,
  Decision,
  Policy,
  RunCommandDeps,
  SlotsNow,
} from './decide/state.ts';
import { type Loaded, type LoadedState, loadState, withSwitchesNow } from './load-state.ts';
import { outcomeOf, publishOutcome, reportOutcome } from './outcomes.ts';
import { runNamed } from './run-policy.ts';

/** A start makes four decisions at most; a bound, so that no fault can loop for ever. */
const mostRounds = 20;

/** A round whose rows were written concurrently is decided again this often; then the command waits. */
const mostLostRounds = 5;

/** The state of a command between two decisions. */
interface Round {
  readonly state: LoadedState;
  readonly event: CommandEvent;
  /** What the last call showed, to tell the gate once its rows are written. */
  readonly report?: Called<unknown>['report'];
  /** Rounds whose rows were written concurrently. */
  readonly lost: number;
}

/** How this delivery ends for one run. */
type End = RecordResult | 'next-run';

/** A stop by name takes each live run in turn: a run that waits or refuses keeps none of the others running. */
export async function decideRuns(
  loaded: Loaded,
  event: CommandEvent,
  work: CommandWork,
  deps: RunCommandDeps,
): Promise<RecordResult> {
  const { sent } = loaded.state;
  let end: RecordResult | undefined;
  for (const [position, target] of loaded.targets.entries()) {
    const next = position === 0 ? loaded : await loadState(sent, work.context.now(), deps, target);
    const one = await decideRun(next, event, work, deps);
    if (one !== 'next-run') end = sooner(end, one);
    if (end?.kind === 'done') break;
  }
  const { outcomes = [], ...rest } = end ?? later(shortWaitMs, 'the live runs of this stop changed concurrently');
  return { ...rest, outcomes: [...outcomes, ...work.settled] };
}

/** The outcome if there is one, else the shorter wait. */
function sooner(a: RecordResult | undefined, b: RecordResult): RecordResult {
  if (a === undefined || b.kind === 'done') return b;
  return a.kind === 'later' && b.delayMs < a.delayMs ? b : a;
}

/** The loop: decide, apply, make the one effect, and decide again with its answer. */
async function decideRun(
  { state, start }: Loaded,
  event: CommandEvent,
  work: CommandWork,
  deps: RunCommandDeps,
): Promise<End> {
  const policy: Policy = { config: deps.config, callBudgetMs: deps.callBudgetMs, start };
  let round: Round = { state, event, lost: 0 };
  for (let count = 0; count < mostRounds; count += 1) {
    const next = await playRound(round, policy, work, deps);
    if (next === 'next-run' || 'kind' in next) return next;
    round = next;
  }
  throw new Error(`a command was decided ${mostRounds} times in one attempt`);
}

async function playRound(round: Round, policy: Policy, work: CommandWork, deps: RunCommandDeps): Promise<Round | End> {
  const { state, event, report } = round;
  const { context } = work;
  // A copy of this message may have ended the command meanwhile; only the answer to a request may still change that.
  if (state.row?.outcome !== undefined && event.type !== 'answered') return repeatFollowUps(state.row, work, deps);
  const decision = decide(await stateNow(state, event, work, deps), event, policy, context.now());
  if (decision.effect?.do === 'patch') await deps.rateLimiter.take('runs', context.remainingMs());
  const written = await applyTo(state, decision.changes, deps);
  if (written === 'row-changed') return loadAgain(round, context.now(), deps);
  await reportSettled(decision, written, work, deps);
  await report?.();
  if (decision.note !== undefined) context.log.warn(logEvents.failed, decision.note, { commandId: state.sent.id });
  warnOfFewIds(decision, written, work, deps);

  const made = await perform(decision, work, deps);
  if (made === undefined)
    return afterEnd(await endOf(decision, written, work, deps), { ...round, state: written }, work);
  // A person may have frozen the stage while the campaign was read. What a call answered has its own rounds to be written in.
  const next = made.event.type === 'campaign-read' ? await withSwitchesNow(written, deps) : written;
  return { ...made, state: next, lost: 0 };
}

/**
 * The outcomes of other commands that a write settled. Each has its event, log line and count, with
 * any outcome of this command.
 */
async function reportSettled(
  { changes }: Decision,
  { sent, others }: LoadedState,
  { settled }: CommandWork,
  deps: RunCommandDeps,
): Promise<void> {
  for (const { after } of changes) {
    const row = after.kind === 'command' && after.id !== sent.id ? others.get(after.id) : undefined;
    if (row?.outcome === undefined) continue;
    settled.push(outcomeOf(row));
    await publishOutcome(row, deps);
  }
}

async function loadAgain(round: Round, now: Date, deps: RunCommandDeps): Promise<Round | RecordResult> {
  const { sent } = round.state;
  const lost = round.lost + 1;
  if (lost >= mostLostRounds) return later(shortWaitMs, 'the rows of this command changed concurrently');
  const { state } = await loadState(sent, now, deps, targetOf(round));
  return { ...round, state, lost };
}

/** Past the retry deadline a wait stands no more, but for the wait of the last chance itself. */
function afterEnd(end: End | 'next', { state, event, lost }: Round, { record, context }: CommandWork): Round | End {
  if (end === 'next') return { state, event: { type: 'command' }, lost };
  const isWait = end !== 'next-run' && end.kind === 'later';
  if (!isWait || event.type === 'last-chance' || !isPastHorizon(record.sentAt, context.now())) return end;
  const detail = `not done within a day; the last attempt: ${end.why}`;
  return { state, event: { type: 'last-chance', reason: 'HORIZON_EXCEEDED', detail }, lost };
}

/** A start may take another id if its own was used meanwhile; an answer and a stop by name stay with their run. */
function targetOf({ state: { sent, campaignRunId }, event }: Round): string | undefined {
  return sent.action === 'start' && event.type !== 'answered' ? undefined : campaignRunId;
}

/** The gate and the rate limiter are asked before each decision that may call; an answer is decided as it is. */
async function stateNow(
  state: LoadedState,
  event: CommandEvent,
  { record, context }: CommandWork,
  deps: RunCommandDeps,
): Promise<CommandState> {
  const { body, receiveCount, sentAt } = record;
  const remainingMs = context.remainingMs();
  const delivery = { owner: context.attemptId, remainingMs, body, receiveCount, sentAt, random: deps.random };
  const gateWaitMs =
    event.type === 'answered' || event.type === 'last-chance' ? 0 : await deps.gate.waitMs(context.remainingMs);
  return { ...state, delivery, gateWaitMs, slots: slotsNow(event, deps) };
}

/** After its read a start never goes back for a slot, or it would read for ever: its PATCH waits for the distance alone. */
function slotsNow({ type }: CommandEvent, { rateLimiter, slotQueue }: RunCommandDeps): SlotsNow {
  const runsMs = type === 'campaign-read' ? 0 : rateLimiter.waitMs('runs');
  const readsMs = rateLimiter.waitMs('reads', 'runs');
  return { runsMs, readsMs, waiting: slotQueue.waiting(), spacingMs: slotQueue.spacingMs };
}

/** Makes the effect. What it answers is the event to decide on next. */
async function perform(
  { effect }: Decision,
  { context }: CommandWork,
  deps: RunCommandDeps,
): Promise<Pick<Round, 'event' | 'report'> | undefined> {
  switch (effect?.do) {
    case undefined:
      return undefined;
    case 'send-stops':
      for (const stop of effect.stops) {
        await deps.commands.send(JSON.stringify(stop));
        const { id, campaignRunId, reason } = stop;
        context.log.info(logEvents.commandSent, `stop of ${campaignRunId} sent: ${reason}`, {
          commandId: id,
          campaignRunId,
        });
      }
      return undefined;
    case 'read-campaign': {
      await deps.rateLimiter.take('reads', context.remainingMs());
      const { answer, report } = await deps.calls.readCampaign(effect.campaignId, context);
      return { event: { type: 'campaign-read', result: answer }, report };
    }
    case 'patch': {
      const sentAt = context.now();
      const { answer, report } = await deps.calls.patch(effect.input, context);
      return { event: { type: 'answered', owner: context.attemptId, sentAt, answer }, report };
    }
  }
}

async function endOf(
  { then }: Decision,
  { row }: LoadedState,
  work: CommandWork,
  deps: RunCommandDeps,
): Promise<End | 'next'> {
  switch (then.kind) {
    case 'next':
    case 'next-run':
      return then.kind;
    case 'wait':
      if (then.forSlot === true) deps.slotQueue.sentBack();
      return later(then.delayMs, then.why);
    case 'deferred':
      work.context.log.info(logEvents.startDeferred, then.detail, { messageId: work.record.messageId });
      return done();
    case 'outcome':
      return reportOutcome(row, work, deps);
  }
}

/** A start takes an id, and few are left: a person binds new ones in time. */
function warnOfFewIds(
  { effect }: Decision,
  { sent, pool }: LoadedState,
  { context }: CommandWork,
  { config, count }: RunCommandDeps,
): void {
  if (effect?.do !== 'patch' || sent.action !== 'start' || pool === undefined) return;
  const ids = runNamed(pool.run, config)?.pool;
  if (ids?.kind !== 'list') return;
  const left = freeIds(pool, ids.campaignRunIds).length;
  if (left >= lowRunIds) return;
  count(metricNames.runIdsLow, 1);
  const sentence = `${pool.run} has ${left} unused run ids left: autopilot bind ${pool.run} ID…`;
  context.log.warn(logEvents.bindingRunningLow, sentence, { run: pool.run, left });
}

/** The outcome is in the ledger: its follow-ups are repeated under the same ids. */
export async function repeatFollowUps(
  row: CommandRow,
  { context }: CommandWork,
  deps: RunCommandDeps,
): Promise<RecordResult> {
  await publishOutcome(row, deps);
  const fields = { commandId: row.id, outcome: row.outcome?.kind };
  context.log.info(logEvents.repeated, 'this command has its outcome already', fields);
  return done();
}
