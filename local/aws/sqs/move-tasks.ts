/** `StartMessageMoveTask`: everything in a dead-letter queue goes back to where it came from. At once, so never running. */
import { asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { AwsError } from '../wire/aws-error.ts';
import { requiredText } from '../wire/messages.ts';
import type { AwsRequest } from '../wire/messages.ts';
import type { Queue } from './queue-settings.ts';
import type { Queues } from './queues.ts';

/** The two operations on move tasks. */
export interface MoveTasks {
  start(input: JsonObject, request: AwsRequest): JsonObject;
  list(input: JsonObject, request: AwsRequest): JsonObject;
}

/** AWS lists ten at most. */
const KEPT_TASKS = 10;

/** Creates the operations; the list of tasks lives as long as the process. */
export function createMoveTasks(queues: Queues, now: () => number): MoveTasks {
  const tasks: JsonObject[] = [];
  const queueAt = (arn: string): Queue => {
    const queue = queues.byArn(arn);
    if (queue === undefined)
      throw new AwsError(
        'ResourceNotFoundException',
        `The resource that you specified for the SourceArn parameter doesn't exist.`,
        {
          status: 404,
          queryCode: 'ResourceNotFoundException',
        },
      );
    return queue;
  };
  const destinationOf = (source: Queue, declared: string | undefined): Queue => {
    if (declared !== undefined) return queueAt(declared);
    const [origin, ...others] = queues.all().filter(({ redrive }) => redrive?.queue === source.name);
    if (origin === undefined || others.length > 0)
      throw new AwsError(
        'InvalidParameterValue',
        'Source queue must be the dead-letter queue of one queue, or name DestinationArn.',
      );
    return origin;
  };

  return {
    start(input, request) {
      const sourceArn = requiredText(input, 'SourceArn');
      for (const action of ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
        request.require(`sqs:${action}`, sourceArn);
      const source = queueAt(sourceArn);
      const destination = destinationOf(source, asText(input['DestinationArn']));
      request.require('sqs:SendMessage', destination.arn);
      const moved = queues.store.moveAll(source.name, destination.name);
      queues.wake(destination.name);
      tasks.unshift({
        Status: 'COMPLETED',
        SourceArn: sourceArn,
        DestinationArn: destination.arn,
        ApproximateNumberOfMessagesMoved: moved,
        ApproximateNumberOfMessagesToMove: moved,
        StartedTimestamp: now(),
      });
      tasks.splice(KEPT_TASKS);
      return { TaskHandle: Buffer.from(`${source.name}/${now()}`).toString('base64') };
    },
    list(input, request) {
      const sourceArn = requiredText(input, 'SourceArn');
      request.require('sqs:ListMessageMoveTasks', sourceArn);
      return { Results: tasks.filter((task) => task['SourceArn'] === sourceArn) };
    },
  };
}
