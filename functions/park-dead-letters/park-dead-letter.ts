import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { isParkedMessage, parkMessage } from '#shared/ledger/open-rows.ts';
import { parkedWork } from '#shared/ledger/rows/message-row.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import type { Outcome, RecordResult } from '../_handler/record-result.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-record.ts';
import type { Mode } from '../_handler/stage-ledger.ts';
import { reportOnce } from '../_handler/worker-reports.ts';
import { giveUpCommand } from '../_runs/give-up.ts';
import type { FunctionEnvironment } from '#shared/config/env-contract.ts';
import { AppError } from '#shared/errors/app-error.ts';

/** What the worker needs of the world. */
export interface DeadLetterDeps {
  /** The queue of each dead-letter queue, by its ARN: a repeat is sent there. */
  readonly queueOf: (deadLetterQueueArn: string) => QueueName;
  /** That of the mode: what a stage that observes gave up is no work of one that acts. */
  readonly ledger: Ledger;
  readonly mode: Mode;
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
  const now = context.now();
  const queue = deps.queueOf(record.queueArn);
  const reason = 'WORKER_DIED';
  const detail = `found in the dead-letter queue ${record.queueArn.split(':').at(-1)}: no worker brought it to an outcome`;
  const ended = queue === 'commands' ? await giveUpCommand({ record, context }, detail, deps) : undefined;
  if (ended !== undefined) return ended;
  const isRepeat = await isParkedMessage(deps.ledger, queue, record.messageId);
  const subject = await parkMessage(deps.ledger, {
    messageId: record.messageId,
    parked: parkedWork(record, queue, now),
    reason,
    detail,
    now,
  });
  const { nextStep } = parkReasons[reason];
  const followUp = () =>
    deps.bus.publish(eventTypes.workParked, { eventId: subject, subject, queue, reason, detail, nextStep });
  const outcome: Outcome = { kind: 'parked', subject, reason, detail, fields: { queue } };
  return reportOnce(outcome, { isRepeat, followUp }, { record, context, random: deps.random });
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
    throw new AppError(`${arn} is none of the dead-letter queues that this function knows`, {
      code: 'UNKNOWN_QUEUE',
      retryable: false,
    });
  };
}
