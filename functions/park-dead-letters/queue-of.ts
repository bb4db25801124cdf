import type { FunctionEnvironment } from '#shared/config/env-contract.ts';
import { AppError } from '#shared/errors/app-error.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';

/** The dead-letter queues of a stage. */
type DeadLetterQueues = Pick<
  FunctionEnvironment<'park-dead-letters'>,
  'COMMANDS_DLQ_ARN' | 'SCHEDULES_DLQ_ARN' | 'UPLOADS_DLQ_ARN' | 'PLANS_DLQ_ARN'
>;

/** Says which queue a dead-letter queue belongs to. What Scheduler could not deliver was meant for the commands queue. */
export function queueOfDeadLetters(env: DeadLetterQueues): (arn: string) => QueueName {
  const queues = new Map<string, QueueName>([
    [env.COMMANDS_DLQ_ARN, 'commands'],
    [env.SCHEDULES_DLQ_ARN, 'commands'],
    [env.UPLOADS_DLQ_ARN, 'uploads'],
    [env.PLANS_DLQ_ARN, 'plans'],
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
