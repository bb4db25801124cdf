import { isPastHorizon } from '#shared/ledger/open-rows.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { freeIds, lowRunIds } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { done, later, type Outcome, type RecordResult } from '../_handler/observe.ts';
import { apply, outcomeOf, publishOutcome, reportOutcome } from './apply.ts';
import type { RunCommandDeps, CommandEvent, CommandWork, Decision, Policy, SlotsNow } from './decide/state.ts';
import { decide } from './decide/decide.ts';
import { shortWaitMs } from './decide/decision.ts';
import { atMoment, type Loaded, type LoadedState, loadState, withSwitchesNow, withWritten } from './load-state.ts';

/** A start makes four decisions at most; a bound, so that no fault can loop for ever. */
const mostRounds = 20;

/** A round whose rows were written concurrently is decided again this often; then the command waits. */
const mostLostRounds = 5;

/** What is asked about one run. */
export interface Asked {
  readonly sent: CampaignRunCommand;
  readonly loaded: Loaded;
  readonly event: CommandEvent;
}

/** The outcomes of other commands that a write settled: each has its event, its log line and its count, whatever becomes of this command. */
async function reportSettled(
  written: readonly Stored[],
  { id }: CampaignRunCommand,
  settled: Outcome[],
  deps: RunCommandDeps,
): Promise<void> {
  for (const row of written) {
    if (row.kind !== 'command' || row.outcome === undefined || row.id === id) continue;
    settled.push(outcomeOf(row));
    await publishOutcome(row, deps);
  }
}

/** Where a command stands between two decisions. */
interface Round {
  readonly state: LoadedState;
  readonly event: CommandEvent;
  /** What the last call showed, to tell the gate once its rows are written. */
  readonly report?: Made['report'];
  /** Rounds whose rows were written concurrently. */
  readonly lost: number;
}

/** What stays the same for all rounds of a command about one run. */
interface Rounds {
  readonly sent: CampaignRunCommand;
  readonly policy: Policy;
  readonly settled: Outcome[];
}

/** How this delivery ends for one run. */
interface Ended {
  readonly end: RecordResult | 'next-run';
}

/** The loop: decide, apply, make the one effect, and decide again with its answer. */
export async function decideRun(
  { sent, loaded, event }: Asked,
  settled: Outcome[],
  work: CommandWork,
  deps: RunCommandDeps,
): Promise<RecordResult | 'next-run'> {
  const policy: Policy = { config: deps.config, callBudgetMs: deps.callBudgetMs, start: loaded.start };
  let round: Round = { state: loaded.state, event, lost: 0 };
  for (let count = 0; count < mostRounds; count += 1) {
    const next = await playRound(round, { sent, policy, settled }, work, deps);
    if ('end' in next) return next.end;
    round = next;
  }
  throw new Error(`a command was decided ${mostRounds} times in one attempt`);
}

async function playRound(round: Round, about: Rounds, work: CommandWork, deps: RunCommandDeps): Promise<Round | Ended> {
  const { state, event, report } = round;
  const { sent, policy, settled } = about;
  const { context } = work;
  // A copy of this message may have ended the command meanwhile; only the answer to a request may still change that.
  if (state.row?.outcome !== undefined && event.type !== 'answered') {
    return { end: await repeatFollowUps(state.row, work, deps) };
  }
  const decision = decide(await momentOf(state, event, work, deps), event, policy, context.now());
  if (decision.effect?.do === 'patch') await deps.rateLimiter.take('runs', context.remainingMs());
  const written = await apply(decision.changes, deps);
  if (written === 'row-changed') return loadAgain(round, about, context.now(), deps);
  const now = withWritten(state, written);
  await reportSettled(written, sent, settled, deps);
  await report?.();
  if (decision.note !== undefined) context.log.warn(logEvents.failed, decision.note, { commandId: sent.id });
  warnOfFewIds(decision, now, policy, deps);

  const made = await perform(decision, work, deps);
  if (made === undefined) return afterEnd(await endOf(decision, now, work, deps), { ...round, state: now }, work);
  // A person may have frozen the stage while the campaign was read.
  const next = made.event.type === 'campaign-read' ? await withSwitchesNow(now, deps) : now;
  // What a call answered has its own rounds to be written in.
  return { state: next, event: made.event, report: made.report, lost: 0 };
}

async function loadAgain(round: Round, { sent }: Rounds, now: Date, deps: RunCommandDeps): Promise<Round | Ended> {
  const lost = round.lost + 1;
  if (lost >= mostLostRounds) return { end: later(shortWaitMs, 'the rows of this command changed concurrently') };
  const { state } = await loadState(sent, now, deps, targetOf(sent, round.event, round.state));
  return { ...round, state, lost };
}

/** Past the retry deadline a wait stands no more, but for the wait of the last chance itself. */
function afterEnd(
  end: RecordResult | 'next' | 'next-run',
  { state, event, lost }: Round,
  { record, context }: CommandWork,
): Round | Ended {
  if (end === 'next') return { state, event: { type: 'command' }, lost };
  const isWait = end !== 'next-run' && end.kind === 'later';
  if (!isWait || event.type === 'last-chance' || !isPastHorizon(record.sentAt, context.now())) return { end };
  const detail = `not done within a day; the last attempt: ${end.why}`;
  return { state, event: { type: 'last-chance', reason: 'HORIZON_EXCEEDED', detail }, lost };
}

/** A start may take another id if its own was used meanwhile; an answer and a stop by name stay with their run. */
function targetOf(sent: CampaignRunCommand, event: CommandEvent, { campaignRunId }: LoadedState): string | undefined {
  return sent.action === 'start' && event.type !== 'answered' ? undefined : campaignRunId;
}

/** The gate and the rate limiter are asked before each decision that may call; an answer is decided as it is. */
async function momentOf(
  state: LoadedState,
  event: CommandEvent,
  { record, context }: CommandWork,
  deps: RunCommandDeps,
) {
  const { body, receiveCount, sentAt } = record;
  const remainingMs = context.remainingMs();
  const delivery = { owner: context.attemptId, remainingMs, body, receiveCount, sentAt, random: deps.random };
  const gateWaitMs =
    event.type === 'answered' || event.type === 'last-chance' ? 0 : await deps.gate.waitMs(context.remainingMs);
  return atMoment(state, { delivery, gateWaitMs, slots: slotsNow(event, deps) });
}

/** After its read a start never goes back for a slot, or it would read for ever: its PATCH waits for the distance alone. */
function slotsNow({ type }: CommandEvent, { rateLimiter, slotQueue }: RunCommandDeps): SlotsNow {
  const runsMs = type === 'campaign-read' ? 0 : rateLimiter.waitMs('runs');
  const readsMs = rateLimiter.waitMs('reads', 'runs');
  return { runsMs, readsMs, waiting: slotQueue.waiting(), spacingMs: slotQueue.spacingMs };
}

/** An effect that was made, as the event to decide on. */
interface Made {
  readonly event: CommandEvent;
  readonly report?: () => Promise<unknown> | undefined;
}

async function perform({ effect }: Decision, work: CommandWork, deps: RunCommandDeps): Promise<Made | undefined> {
  const { context } = work;
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
): Promise<RecordResult | 'next' | 'next-run'> {
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

function warnOfFewIds({ effect }: Decision, { pool }: LoadedState, { start }: Policy, deps: RunCommandDeps): void {
  if (effect?.do !== 'patch' || typeof start !== 'object' || start.run?.pool.kind !== 'list') return;
  const left = freeIds(pool, start.run.pool.campaignRunIds).length;
  if (left < lowRunIds) deps.onRunningLow(start.run.name, left);
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
