import { toError } from '#shared/errors/app-error.ts';
import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { attemptOf, type AttemptMark, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import { listedDetail } from '#shared/ledger/rows/detail.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type CampaignRunCommand, parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { roleBehind } from '#shared/messages/command-senders.ts';
import { type LinkTest, linkTestInMessage } from '#shared/messages/link-test.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import {
  type RecordDelivery,
  done,
  later,
  type QueueRecord,
  type RecordContext,
  type RecordResult,
} from '../_handler/queue-record.ts';
import { endLinkTest, parkMessage } from '../_handler/queue-worker.ts';
import { apply, loadJudged } from './load.ts';
import { ownRow, storedOwn } from './decide/rows.ts';
import type { CommandState, Moment, RunCommandDeps } from './decide/state.ts';
import { shortWaitMs, stopWaitMs } from './decide/waiting.ts';
import { decideCommand } from './rounds.ts';
import { reportOutcome } from './outcomes.ts';

/**
 * Handles one message of the commands queue. Duplicates and any order of arrival end in the same
 * state. Rows are loaded, `decide` answers what to write and do, and the result is decided again.
 */
export async function handleCommand(
  record: QueueRecord,
  context: RecordContext,
  deps: RunCommandDeps,
): Promise<RecordResult> {
  const work: RecordDelivery = { record, context };
  const parsed = parseCampaignRunCommand(record.body, context.now());
  if (!parsed.ok) {
    const test = linkTestInMessage(record.body);
    if (test !== undefined) return endMark(test, work, deps);
    return parkUnreadable(work, parsed.problems, deps);
  }

  const { command } = parsed;
  if (parsed.ignored !== undefined) {
    const says = `fields that this version does not know are ignored: ${parsed.ignored.join(', ')}`;
    context.log.warn(logEvents.fieldsIgnored, says, { commandId: command.id });
  }
  const ended = deps.config.mode === 'act' ? endOfObserved(command) : undefined;
  if (ended !== undefined) return ended;
  try {
    return await handleJudged(command, work, deps);
  } catch (error) {
    const { message } = toError(error);
    context.log.error(logEvents.failed, `attempt failed: ${message}`, { commandId: command.id });
    const delayMs = laterDelayMs(record.receiveCount, deps.random);
    return later(command.action === 'stop' ? Math.min(delayMs, stopWaitMs(record)) : delayMs, message);
  }
}

/** Ends a mark. What the role of the link tests sends is a mark of a schedule, so people get no message of it. */
async function endMark(test: LinkTest, work: RecordDelivery, deps: RunCommandDeps): Promise<RecordResult> {
  const isScheduled = roleBehind(work.record.senderId, deps.senders) === 'link-tests';
  const mark = isScheduled ? { ...test, link: 'schedule' as const } : test;
  return endLinkTest(mark, work, { ...deps, worker: 'update-campaign-runs' });
}

/** A command, if its sender may send it. */
async function handleJudged(
  command: CampaignRunCommand,
  work: RecordDelivery,
  deps: RunCommandDeps,
): Promise<RecordResult> {
  const state = await loadJudged(command, work.record, deps);
  if (typeof state === 'string') return parkUnreadable(work, [state], deps);
  const ended = deps.config.mode === 'act' ? undefined : await endOfActed(state.sent, work, deps);
  if (ended !== undefined) return ended;
  const own = storedOwn(state);
  if (own?.outcome !== undefined) return reportOutcome(own, work, deps, { isRepeat: true });
  return attempt(state, work, deps);
}

/** One attempt, with its mark from the second delivery on. */
async function attempt(state: CommandState, work: RecordDelivery, deps: RunCommandDeps): Promise<RecordResult> {
  const { record, context } = work;
  const now = context.now();
  const { attemptId: owner } = context;
  const delivery = { owner, now, remainingMs: context.remainingMs(), receiveCount: record.receiveCount };
  const step = nextAttempt(storedOwn(state), delivery);
  if (step.kind === 'wait') return later(Math.min(step.delayMs, shortWaitMs), 'another attempt is at this command');
  if (step.kind === 'crash-loop') {
    const detail = `${step.crashes} attempts started and never said how they ended`;
    return decideCommand(state, { type: 'last-chance', reason: 'CRASH_LOOP', detail }, work, deps);
  }
  if (step.mark === undefined) return decideCommand(state, { type: 'command' }, work, deps);
  const own = ownRow({ ...state, now });
  const marked = { ...own, attempt: { ...attemptOf(own, now), ...step.mark } };
  const rows = await apply([marked], state.rows, deps);
  if (rows === 'row-changed') return later(shortWaitMs, 'the row of this command changed concurrently');
  return decideCommand({ ...state, rows }, { type: 'command' }, work, deps);
}

/** A message that is no command, or of a sender that may not send it. */
function parkUnreadable(work: RecordDelivery, problems: readonly string[], deps: RunCommandDeps) {
  const detail = listedDetail(problems, 'problems');
  return parkMessage(work, { queue: 'commands', reason: 'BAD_MESSAGE', detail }, deps);
}

/**
 * How long a command that belongs to the acting stage waits while the stage observes. At a thousand
 * receives, after ten days, it is in the dead-letter queue and is parked from there. SQS would
 * forget it after fourteen days.
 */
const waitForActingMs = 15 * 60_000;

/**
 * Ends in a stage that acts what it sent while it only observed: that is never done, since nothing
 * real led to it.
 * @returns `undefined` if it was sent by a stage that acts
 */
export function endOfObserved(command: CampaignRunCommand): RecordResult | undefined {
  if (command.isObserved !== true) return undefined;
  const detail = 'sent while the stage only observed, and it acts now: nothing is done';
  const { id, action, run } = command;
  return done({ kind: 'ignored', subject: id, detail, fields: { action, run } });
}

/**
 * In a stage that observes: ends a command that was begun while the stage acted. Judged again, a
 * stop would count as reported and never be sent; a sent start would be reported as unsent. A stop
 * of a run that was sent for real waits too, though no attempt has begun it.
 * @returns `undefined` if nothing was begun for real
 */
async function endOfActed(
  command: CampaignRunCommand,
  work: RecordDelivery,
  deps: RunCommandDeps,
): Promise<RecordResult | undefined> {
  const begun = await deps.acting.read<CommandRow>(ledgerKeys.command(command.id));
  const isOfActedRun = command.startId !== undefined && command.isObserved !== true;
  if (begun === undefined && !isOfActedRun) return undefined;
  if (begun?.outcome === undefined)
    return later(waitForActingMs, 'begun while the stage acted: waits until it acts again');
  return reportOutcome(begun, work, deps, { isRepeat: true });
}

/** Attempts in a row that started and never ended, before their work is parked. */
const mostCrashes = 3;

/** What a delivery does about the attempts before it. */
type AttemptStep =
  /** Without a mark: nothing is to be written yet. */
  | { readonly kind: 'begin'; readonly mark?: AttemptMark }
  /** Another attempt is at it. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'crash-loop'; readonly crashes: number };

/**
 * Decides whether an attempt may begin, and counts those that died (killed, out of memory, cut
 * off). A first delivery that ends with an outcome costs no write. From the second on an attempt
 * leaves its mark before it begins, and takes it out when it ends. A dead attempt shows as an
 * expired mark. A dead first attempt shows as a second delivery without a row. Pure.
 * @param row - without `until` the last attempt has ended
 */
export function nextAttempt(
  row: { readonly attempt?: Partial<Pick<AttemptMark, 'until' | 'crashes'>> } | undefined,
  delivery: Pick<Moment['delivery'], 'owner' | 'remainingMs' | 'receiveCount'> & { readonly now: Date },
): AttemptStep {
  const { owner, now, remainingMs, receiveCount } = delivery;
  const { until, crashes: earlier = 0 } = row?.attempt ?? {};
  const delayMs = until === undefined ? 0 : Date.parse(until) - now.getTime();
  if (delayMs > 0) return { kind: 'wait', delayMs };

  const isFirst = receiveCount === 1 && until === undefined;
  if (isFirst) return { kind: 'begin' };
  const crashes = until === undefined ? (row === undefined ? 1 : 0) : earlier + 1;
  if (crashes >= mostCrashes) return { kind: 'crash-loop', crashes };
  return { kind: 'begin', mark: { owner, until: new Date(now.getTime() + remainingMs).toISOString(), crashes } };
}
