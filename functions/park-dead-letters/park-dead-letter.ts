import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import {
  type RecordDelivery,
  later,
  type QueueRecord,
  type RecordContext,
  type RecordResult,
} from '../_handler/queue-record.ts';
import type { Mode } from '../_handler/stage-ledger.ts';
import { parkMessage } from '../_handler/queue-worker.ts';
import type { FunctionEnvironment } from '#shared/config/env-contract.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { SentBy } from '#shared/messages/command-senders.ts';
import { apply, loadJudged } from '../_runs/load.ts';
import { storedOwn } from '../_runs/decide/rows.ts';
import type { RunsConfig } from '../_runs/decide/state.ts';
import { shortWaitMs } from '../_runs/decide/waiting.ts';
import { endOfObserved } from '../_runs/handle-command.ts';
import { reportOutcome } from '../_runs/outcomes.ts';
import { decideLastChance, mostLostRounds } from '../_runs/rounds.ts';

/** What the worker needs of the world. */
export interface DeadLetterDeps {
  /** The queue of each dead-letter queue, by its ARN: a repeat is sent there. */
  readonly queueOf: (deadLetterQueueArn: string) => QueueName;
  /** That of the mode: what a stage that observes gave up is no work of one that acts. */
  readonly ledger: Ledger;
  readonly mode: Mode;
  readonly senders: SentBy['senders'];
  readonly schedules: RunsConfig['schedules'];
  readonly bus: OutcomePublisher;
  readonly random: () => number;
}

/**
 * Turns a dead letter into a parked row with its message. A command is parked in its own row, since
 * its runs have to count as they are. A letter that is delivered twice is the same row, reported
 * once. One that a person redrove has a new id (StartMessageMoveTask), so it is a row of its own.
 * A crash before the acknowledgement publishes the event twice at worst, under one id.
 */
export async function parkDeadLetter(
  record: QueueRecord,
  context: RecordContext,
  deps: DeadLetterDeps,
): Promise<RecordResult> {
  const queue = deps.queueOf(record.queueArn);
  const detail = `found in the dead-letter queue ${record.queueArn.split(':').at(-1)}: no worker brought it to an outcome`;
  const ended = queue === 'commands' ? await giveUpCommand({ record, context }, detail, deps) : undefined;
  return ended ?? parkMessage({ record, context }, { queue, reason: 'WORKER_DIED', detail }, deps);
}

/** The dead-letter queues of a stage. */
type DeadLetterQueues = Pick<
  FunctionEnvironment<'park-dead-letters'>,
  'COMMANDS_DLQ_ARN' | 'SCHEDULES_DLQ_ARN' | 'UPLOADS_DLQ_ARN'
>;

/**
 * Says which queue a dead-letter queue belongs to. What Scheduler could not deliver was meant for
 * the commands queue.
 */
export function queueOfDeadLetters(env: DeadLetterQueues): (arn: string) => QueueName {
  const queues = new Map<string, QueueName>([
    [env.COMMANDS_DLQ_ARN, 'commands'],
    [env.SCHEDULES_DLQ_ARN, 'commands'],
    [env.UPLOADS_DLQ_ARN, 'uploads'],
  ]);
  return (arn) => {
    const queue = queues.get(arn);
    if (queue !== undefined) return queue;
    const says = `${arn} is none of the dead-letter queues that this function knows`;
    throw new AppError(says, { code: 'UNKNOWN_QUEUE', retryable: false });
  };
}

/**
 * Ends a command whose message the queue gave up: its runs count as running, and their planned stops are armed. It is parked WORKER_DIED, or
 * START_OUTCOME_UNKNOWN if its request may have left.
 * @returns `undefined` for a message that is no command
 */
async function giveUpCommand(
  work: RecordDelivery,
  detail: string,
  deps: DeadLetterDeps,
): Promise<RecordResult | undefined> {
  const { record, context } = work;
  const parsed = parseCampaignRunCommand(record.body, context.now());
  if (!parsed.ok) return undefined;
  const observed = deps.mode === 'act' ? endOfObserved(parsed.command) : undefined;
  if (observed !== undefined) return observed;
  for (let tries = 0; tries < mostLostRounds; tries += 1) {
    const { ledger, senders, schedules } = deps;
    const asked = { ledger, senders, isDeadLetter: true, config: { runs: {}, schedules } } as const;
    const state = await loadJudged(parsed.command, record, asked);
    if (typeof state === 'string')
      return parkMessage(work, { queue: 'commands', reason: 'BAD_MESSAGE', detail: state }, deps);
    const own = storedOwn(state);
    if (own?.outcome !== undefined) return reportOutcome(own, work, deps, { isRepeat: true });
    const { body, receiveCount, sentAt } = record;
    const delivery = { owner: context.attemptId, remainingMs: context.remainingMs(), random: deps.random };
    const moment = { ...state, now: context.now(), delivery: { ...delivery, body, receiveCount, sentAt } };
    const { writes } = decideLastChance(moment, { type: 'last-chance', reason: 'WORKER_DIED', detail });
    const rows = await apply(writes, state.rows, deps);
    if (rows !== 'row-changed') return reportOutcome(storedOwn({ ...state, rows }), work, deps);
  }
  return later(shortWaitMs, 'the rows of this command changed concurrently');
}
