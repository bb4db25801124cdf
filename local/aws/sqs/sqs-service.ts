/**
 * SQS in the JSON protocol of today's SDKs and command lines: standard queues as the template
 * declares them.
 *
 * Written here and not taken from a library: docs/adr/0007-our-own-queues-and-objects.md says why.
 */
import { asText, type Json, type JsonObject } from '../../template/assembly.ts';
import {
  type AwsRequest,
  type AwsService,
  jsonBody,
  jsonResponse,
  notEmulated,
  requiredParameter,
} from '../wire/messages.ts';
import { senderIdOf } from '../iam/sender-id.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { batchEntries, bounded, failedEntry, type MadeQueues, queueDoesNotExist } from './made-queues.ts';
import {
  changeVisibility,
  deleteMessage,
  MAX_VISIBILITY_SECONDS,
  purgeQueue,
  queueAttributes,
  type QueueOperation,
  receivedMessage,
  refuseLongBatch,
  sendMessage,
} from './message-operations.ts';
import type { LocalQueue, Queues } from './queues.ts';

/** What the service needs. */
export interface SqsServiceOptions {
  readonly queues: Queues;
  readonly accountId: string;
  readonly region: string;
  /** The front door's own address, for queue URLs. */
  readonly endpoint: () => string;
  readonly now: () => number;
  readonly madeQueues: MadeQueues;
}

type Operation = (input: JsonObject, request: AwsRequest) => JsonObject | Promise<JsonObject>;

/** Creates the service. */
export function createSqsService(options: SqsServiceOptions): AwsService {
  const moveTasks = createMoveTasks(options.queues, options.now);
  const operations: Readonly<Record<string, Operation>> = {
    SendMessage: onQueue(options, 'SendMessage', sendMessage),
    SendMessageBatch: onEntries(options, 'SendMessage', sendMessage),
    ReceiveMessage: (input, request) => receive(options, input, request),
    DeleteMessage: onQueue(options, 'DeleteMessage', deleteMessage),
    DeleteMessageBatch: onEntries(options, 'DeleteMessage', deleteMessage),
    ChangeMessageVisibility: onQueue(options, 'ChangeMessageVisibility', changeVisibility),
    ChangeMessageVisibilityBatch: onEntries(options, 'ChangeMessageVisibility', changeVisibility),
    PurgeQueue: onQueue(options, 'PurgeQueue', purgeQueue),
    GetQueueAttributes: onQueue(options, 'GetQueueAttributes', queueAttributes),
    ...addressOperations(options),
    StartMessageMoveTask: (input, request) => moveTasks.start(input, request),
    ListMessageMoveTasks: (input, request) => moveTasks.list(input, request),
  };
  return {
    name: 'sqs',
    protocol: 'json-1.0',
    async handle(request) {
      const operation = Object.hasOwn(operations, request.operation) ? operations[request.operation] : undefined;
      if (operation === undefined) throw notEmulated('sqs', request.operation);
      return jsonResponse(await operation(jsonBody(request), request), { protocol: 'json-1.0' });
    },
  };
}

/** The queue of that name, for a caller who may do this to it. */
function authorized(
  { queues, ...place }: SqsServiceOptions,
  name: string,
  request: AwsRequest,
  action: string,
): LocalQueue {
  request.require(`sqs:${action}`, queueArn(place, name));
  const queue = queues.byName(name);
  if (queue === undefined) throw queueDoesNotExist();
  return queue;
}

function queueArn({ region, accountId }: Pick<SqsServiceOptions, 'region' | 'accountId'>, name: string): string {
  return `arn:aws:sqs:${region}:${accountId}:${name}`;
}

/** The last part of a queue's URL is the queue, with any host. */
function nameFrom(input: JsonObject): string {
  return requiredParameter(input, 'QueueUrl').split('/').at(-1) ?? '';
}

function onQueue(options: SqsServiceOptions, action: string, work: QueueOperation): Operation {
  return (input, request) =>
    work(options.queues, authorized(options, nameFrom(input), request, action), input, senderIdOf(request.caller));
}

/** The batch of an operation needs the operation's own right, and answers entry by entry. */
function onEntries(options: SqsServiceOptions, action: string, work: QueueOperation): Operation {
  return (input, request) => {
    const queue = authorized(options, nameFrom(input), request, action);
    const successful: Json[] = [];
    const failed: Json[] = [];
    const entries = batchEntries(input);
    refuseLongBatch(entries);
    for (const entry of entries) {
      const id = asText(entry['Id']) ?? '';
      try {
        successful.push({ Id: id, ...work(options.queues, queue, entry, senderIdOf(request.caller)) });
      } catch (error) {
        failed.push(failedEntry(id, error));
      }
    }
    return { Successful: successful, Failed: failed };
  };
}

async function receive(options: SqsServiceOptions, input: JsonObject, request: AwsRequest): Promise<JsonObject> {
  const queue = authorized(options, nameFrom(input), request, 'ReceiveMessage');
  const visibility = queue.visibilityTimeoutMs / 1000;
  const messages = await options.queues.receive(queue, {
    max: bounded(input, 'MaxNumberOfMessages', { min: 1, max: 10, fallback: 1 }),
    visibilityMs:
      bounded(input, 'VisibilityTimeout', { min: 0, max: MAX_VISIBILITY_SECONDS, fallback: visibility }) * 1000,
    waitMs: bounded(input, 'WaitTimeSeconds', { min: 0, max: 20, fallback: queue.receiveWaitMs / 1000 }) * 1000,
    gone: request.gone,
  });
  if (messages.length === 0) return {};
  const arnOf = (name: string) => queueArn(options, name);
  return { Messages: messages.map((message) => receivedMessage(message, input, arnOf)) };
}

function addressOperations(options: SqsServiceOptions): Record<string, Operation> {
  const { queues, accountId, endpoint, madeQueues } = options;
  const urlOf = ({ name }: LocalQueue): string => `${endpoint()}/${accountId}/${name}`;
  return {
    CreateQueue(input, request) {
      request.require('sqs:CreateQueue', queueArn(options, requiredParameter(input, 'QueueName')));
      return { QueueUrl: urlOf(madeQueues.create(input)) };
    },
    DeleteQueue(input, request) {
      madeQueues.remove(authorized(options, nameFrom(input), request, 'DeleteQueue'));
      return {};
    },
    GetQueueUrl: (input, request) => ({
      QueueUrl: urlOf(authorized(options, requiredParameter(input, 'QueueName'), request, 'GetQueueUrl')),
    }),
    ListQueues(input, request) {
      request.require('sqs:ListQueues', queueArn(options, '*'));
      const prefix = asText(input['QueueNamePrefix']) ?? '';
      const listed = queues.all().filter(({ name }) => name.startsWith(prefix));
      return { QueueUrls: listed.map(urlOf) };
    },
    ListDeadLetterSourceQueues(input, request) {
      const { name } = authorized(options, nameFrom(input), request, 'ListDeadLetterSourceQueues');
      return { queueUrls: queues.all().flatMap((queue) => (queue.redrive?.queue === name ? [urlOf(queue)] : [])) };
    },
  };
}

// `StartMessageMoveTask`: everything in a dead-letter queue goes back to its source. At once, so
// never running.

/** The two operations on move tasks. */
interface MoveTasks {
  start(input: JsonObject, request: AwsRequest): JsonObject;
  list(input: JsonObject, request: AwsRequest): JsonObject;
}

/** AWS lists ten at most. */
const KEPT_TASKS = 10;

/** Creates the operations; the list of tasks lives as long as the process. */
function createMoveTasks(queues: Queues, now: () => number): MoveTasks {
  const tasks: JsonObject[] = [];
  const queueAt = (arn: string): LocalQueue => {
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
  const destinationOf = (source: LocalQueue, declared: string | undefined): LocalQueue => {
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
      const sourceArn = requiredParameter(input, 'SourceArn');
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
      const sourceArn = requiredParameter(input, 'SourceArn');
      request.require('sqs:ListMessageMoveTasks', sourceArn);
      return { Results: tasks.filter((task) => task['SourceArn'] === sourceArn) };
    },
  };
}
