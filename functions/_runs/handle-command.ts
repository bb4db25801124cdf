import { toError } from '#shared/errors/app-error.ts';
import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { nextAttempt } from '#shared/ledger/attempt-mark.ts';
import { isPastHorizon } from '#shared/ledger/horizon.ts';
import type { RowChange, Stored } from '#shared/ledger/ledger.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { freeIds, lowRunIds } from '#shared/ledger/rows/run-id-pool-row.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { done, later, type Outcome, type RecordResult } from '../_handler/outcome.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-worker.ts';
import { apply } from './apply/apply.ts';
import { outcomeOf, parkUnreadable, publishOutcome, reportOutcome } from './apply/record-outcome.ts';
import type { CommandDeps, CommandWork } from './command-context.ts';
import { decide } from './decide/decide.ts';
import { shortWaitMs } from './decide/decision.ts';
import type { CommandEvent, Decision, Policy, SlotsNow } from './decide/state.ts';
import { longestStopWaitMs } from './decide/waiting.ts';
import { atMoment, type Loaded, type LoadedState, loadState, withSwitchesNow, withWritten } from './load-state.ts';
import { endOfActed, endOfObserved } from './other-mode.ts';

/** A round whose rows were written concurrently is decided again this often; then the command waits. */
const mostLostRounds = 5;

/** A start makes four decisions at most; a bound, so that no fault can loop for ever. */
const mostRounds = 20;

/**
 * Handles one message of the commands queue. Duplicates and any order of arrival end in the same state: rows are loaded, `decide` answers what to
 * write and what to do, and the answer of that is decided again.
 */
export async function handleCommand(
  record: QueueRecord,
  context: RecordContext,
  deps: CommandDeps,
): Promise<RecordResult> {
  const work = { record, context };
  const parsed = parseCampaignRunCommand(record.body, context.now());
  if (!parsed.ok) return parkUnreadable(work, parsed.problems, deps);

  const { command } = parsed;
  const ended = deps.config.mode === 'act' ? endOfObserved(command) : await endOfActed(command, deps);
  if (ended !== undefined) return ended;
  try {
    const loaded = await loadState(command, context.now(), deps);
    if (loaded.state.row?.outcome !== undefined) return await repeatFollowUps(loaded.state.row, work, deps);
    return await attempt(command, loaded, work, deps);
  } catch (error) {
    const { message } = toError(error);
    context.log.error(logEvents.failed, `attempt failed: ${message}`, { commandId: command.id });
    const delayMs = laterDelayMs(record.receiveCount, deps.random);
    return later(command.action === 'stop' ? Math.min(delayMs, longestStopWaitMs) : delayMs, message);
  }
}

async function repeatFollowUps(row: CommandRow, { context }: CommandWork, deps: CommandDeps): Promise<RecordResult> {
  await publishOutcome(row, deps);
  const fields = { commandId: row.id, outcome: row.outcome?.kind };
  context.log.info(logEvents.repeated, 'this command has its outcome already', fields);
  return done();
}

/** One attempt: its mark from the second delivery on, then each run that the command is about. */
async function attempt(
  sent: CampaignRunCommand,
  loaded: Loaded,
  work: CommandWork,
  deps: CommandDeps,
): Promise<RecordResult> {
  const { record, context } = work;
  const step = nextAttempt(markedRow(loaded.state.row), {
    owner: context.attemptId,
    now: context.now(),
    remainingMs: context.remainingMs(),
    receiveCount: record.receiveCount,
  });
  if (step.kind === 'wait') return later(Math.min(step.delayMs, shortWaitMs), 'another attempt is at this command');
  if (step.kind === 'crash-loop') {
    const detail = `${step.crashes} attempts started and never said how they ended`;
    return decideRuns({ sent, loaded, event: { type: 'last-chance', reason: 'CRASH_LOOP', detail } }, work, deps);
  }
  const asked: Asked = { sent, loaded, event: { type: 'command' } };
  if (step.mark === undefined) return decideRuns(asked, work, deps);
  const marked = await apply([markOf(sent, loaded.state.row, step.mark, context.now())], deps);
  if (marked === 'row-changed') return later(shortWaitMs, 'the row of this command changed concurrently');
  return decideRuns({ ...asked, loaded: { ...loaded, state: withWritten(loaded.state, marked) } }, work, deps);
}

/** A row whose attempt has no owner says that the last attempt ended. */
function markedRow(row: CommandRow | undefined): Parameters<typeof nextAttempt>[0] {
  const { owner, until, crashes = 0 } = row?.attempt ?? {};
  if (owner === undefined || until === undefined) return row && {};
  return { attempt: { owner, until, crashes } };
}

function markOf(
  sent: CampaignRunCommand,
  row: Stored<CommandRow> | undefined,
  mark: { readonly owner: string; readonly until: string; readonly crashes: number },
  now: Date,
): RowChange {
  const base = row ?? newCommandRow(sent, now);
  const marked = { since: now.toISOString(), tries: 0, ...base.attempt, ...mark };
  return { before: row, after: { ...base, attempt: marked } };
}

/** A stop by name takes each live run in turn: a run that waits or refuses keeps none of the others running. */
async function decideRuns(asked: Asked, work: CommandWork, deps: CommandDeps): Promise<RecordResult> {
  const { sent, loaded } = asked;
  const settled: Outcome[] = [];
  let end: RecordResult | undefined;
  for (const [position, target] of loaded.targets.entries()) {
    const next = position === 0 ? loaded : await loadState(sent, work.context.now(), deps, target);
    const one = await decideRun({ ...asked, loaded: next }, settled, work, deps);
    if (one !== 'next-run') end = sooner(end, one);
    if (end?.kind === 'done') break;
  }
  const { outcomes = [], ...rest } = end ?? later(shortWaitMs, 'the live runs of this stop changed concurrently');
  return { ...rest, outcomes: [...outcomes, ...settled] };
}

/** The outcome if there is one, else the shorter wait. */
function sooner(a: RecordResult | undefined, b: RecordResult): RecordResult {
  if (a === undefined || b.kind === 'done') return b;
  return a.kind === 'later' && b.delayMs < a.delayMs ? b : a;
}

/** What is asked about one run. */
interface Asked {
  readonly sent: CampaignRunCommand;
  readonly loaded: Loaded;
  readonly event: CommandEvent;
}

/** The outcomes of other commands that a write settled: each has its event, its log line and its count, whatever becomes of this command. */
async function reportSettled(
  written: readonly Stored[],
  { id }: CampaignRunCommand,
  settled: Outcome[],
  deps: CommandDeps,
): Promise<void> {
  for (const row of written) {
    if (row.kind !== 'command' || row.outcome === undefined || row.id === id) continue;
    settled.push(outcomeOf(row));
    await publishOutcome(row, deps);
  }
}

/** The loop: decide, apply, make the one effect, and decide again with its answer. */
async function decideRun(
  { sent, loaded, event: first }: Asked,
  settled: Outcome[],
  work: CommandWork,
  deps: CommandDeps,
): Promise<RecordResult | 'next-run'> {
  const { record, context } = work;
  const policy: Policy = { config: deps.config, callBudgetMs: deps.callBudgetMs, start: loaded.start };
  let { state } = loaded;
  let event = first;
  let lost = 0;
  let report: (() => Promise<unknown> | undefined) | undefined;

  for (let round = 0; round < mostRounds; round += 1) {
    // A copy of this message may have ended the command meanwhile; only the answer to a request may still change that.
    if (state.row?.outcome !== undefined && event.type !== 'answered') return repeatFollowUps(state.row, work, deps);
    const moment = await momentOf(state, event, work, deps);
    const decision = decide(moment, event, policy, context.now());
    if (decision.effect?.do === 'patch') await deps.rateLimiter.take('runs', context.remainingMs());
    const written = await apply(decision.changes, deps);
    if (written === 'row-changed') {
      lost += 1;
      if (lost >= mostLostRounds) return later(shortWaitMs, 'the rows of this command changed concurrently');
      ({ state } = await loadState(sent, context.now(), deps, targetOf(sent, event, state)));
      continue;
    }
    state = withWritten(state, written);
    await reportSettled(written, sent, settled, deps);
    await report?.();
    report = undefined;
    if (decision.note !== undefined) context.log.warn(logEvents.failed, decision.note, { commandId: sent.id });
    warnOfFewIds(decision, state, policy, deps);

    const effect = await perform(decision, work, deps);
    report = effect?.report;
    const end = effect === undefined ? await endOf(decision, state, work, deps) : 'next';
    if (end === 'next') {
      event = effect?.event ?? { type: 'command' };
      // A person may have frozen the stage while the campaign was read.
      if (event.type === 'campaign-read') state = await withSwitchesNow(state, deps);
    } else if (end === 'next-run' || end.kind === 'done' || isLast(event, record, context)) return end;
    else
      event = {
        type: 'last-chance',
        reason: 'HORIZON_EXCEEDED',
        detail: `not done within a day; the last attempt: ${end.why}`,
      };
  }
  throw new Error(`a command was decided ${mostRounds} times in one attempt`);
}

/** A start may take another id if its own was used meanwhile; an answer and a stop by name stay with their run. */
function targetOf(sent: CampaignRunCommand, event: CommandEvent, { campaignRunId }: LoadedState): string | undefined {
  return sent.action === 'start' && event.type !== 'answered' ? undefined : campaignRunId;
}

/** Whether a wait stands: before the retry deadline, and at the last chance itself. */
function isLast(event: CommandEvent, { sentAt }: QueueRecord, { now }: RecordContext): boolean {
  return event.type === 'last-chance' || !isPastHorizon(sentAt, now());
}

/** The gate and the rate limiter are asked before each decision that may call; an answer is decided as it is. */
async function momentOf(state: LoadedState, event: CommandEvent, { record, context }: CommandWork, deps: CommandDeps) {
  const { body, receiveCount, sentAt } = record;
  const remainingMs = context.remainingMs();
  const delivery = { owner: context.attemptId, remainingMs, body, receiveCount, sentAt, random: deps.random };
  const gateWaitMs =
    event.type === 'answered' || event.type === 'last-chance' ? 0 : await deps.gate.waitMs(context.remainingMs);
  return atMoment(state, { delivery, gateWaitMs, slots: slotsNow(event, deps) });
}

/** After its read a start never goes back for a slot, or it would read for ever: its PATCH waits for the distance alone. */
function slotsNow({ type }: CommandEvent, { rateLimiter, slotQueue }: CommandDeps): SlotsNow {
  const runsMs = type === 'campaign-read' ? 0 : rateLimiter.waitMs('runs');
  const readsMs = rateLimiter.waitMs('reads', 'runs');
  return { runsMs, readsMs, waiting: slotQueue.waiting(), spacingMs: slotQueue.spacingMs };
}

/** An effect that was made, as the event to decide on. */
interface Made {
  readonly event: CommandEvent;
  readonly report?: () => Promise<unknown> | undefined;
}

async function perform({ effect }: Decision, work: CommandWork, deps: CommandDeps): Promise<Made | undefined> {
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
  deps: CommandDeps,
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

function warnOfFewIds({ effect }: Decision, { pool }: LoadedState, { start }: Policy, deps: CommandDeps): void {
  if (effect?.do !== 'patch' || typeof start !== 'object' || start.run?.pool.kind !== 'list') return;
  const left = freeIds(pool, start.run.pool.campaignRunIds).length;
  if (left < lowRunIds) deps.onRunningLow(start.run.name, left);
}
