/**
 * SQS in the JSON protocol of today's SDKs and command lines: standard queues as the template
 * declares them.
 *
 * Written here and not taken from a library: docs/adr/0007-our-own-queues-and-objects.md says why.
 */
import * as z from 'zod';
import type { JsonObject } from '../../template/assembly.ts';
import { senderIdOf } from '../iam/sender-id.ts';
import type { AwsRequest, AwsService } from '../wire/messages.ts';
import { jsonService, type AwsOperation, operation, readInput, filledText } from '../wire/operations.ts';
import { toAwsError } from '../wire/xml.ts';
import type { MadeQueues } from './made-queues.ts';
import {
  attributesDigest,
  batchRow,
  between,
  md5,
  messageBytes,
  messageRow,
  mostVisibilitySeconds,
  receiptRow,
  receivedMessage,
  refuseBatch,
  refuseInput,
  selected,
  sqsRefusal,
  visibilityRow,
} from './messages.ts';
import { type LocalQueue, type Queues, shownAttributes } from './queues.ts';

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

const names = z.array(z.string()).default([]);
const onQueue = z.strictObject({ QueueUrl: filledText });
const byName = z.strictObject({ QueueName: filledText });

const receiveRow = onQueue.extend({
  MaxNumberOfMessages: between(1, 10).default(1),
  VisibilityTimeout: between(0, mostVisibilitySeconds).optional(),
  WaitTimeSeconds: between(0, 20).optional(),
  AttributeNames: names,
  MessageSystemAttributeNames: names,
  MessageAttributeNames: names,
});

/** The bounds of attributes are those of a queue in a template. */
const createRow = byName.extend({ Attributes: z.record(z.string(), z.string()).default({}) });

/** Creates the service. */
export function createSqsService(options: SqsServiceOptions): AwsService {
  const { queues, madeQueues, endpoint, accountId } = options;
  const at = placeOf(options);
  const urlOf = ({ name }: LocalQueue): string => `${endpoint()}/${accountId}/${name}`;
  return jsonService({
    name: 'sqs',
    protocol: 'json-1.0',
    refusal: refuseInput,
    operations: {
      ...onOneAndMany('SendMessage', messageRow, at, (queue, input, request) => send(queues, queue, input, request)),
      ...onOneAndMany('DeleteMessage', receiptRow, at, (queue, { ReceiptHandle }) => {
        // An unknown receipt is no error, as on AWS.
        queues.store.remove(queue.name, ReceiptHandle);
        return {};
      }),
      ...onOneAndMany('ChangeMessageVisibility', visibilityRow, at, (queue, input) =>
        changeVisibility(queues, queue, input),
      ),
      ReceiveMessage: operation(receiveRow, async (input, request) => {
        const queue = at.queue(input, 'ReceiveMessage', request);
        const { VisibilityTimeout, ReceiveMessageWaitTimeSeconds } = queue.attributes;
        const messages = await queues.receive(queue, {
          max: input.MaxNumberOfMessages,
          visibilityMs: (input.VisibilityTimeout ?? VisibilityTimeout) * 1000,
          waitMs: (input.WaitTimeSeconds ?? ReceiveMessageWaitTimeSeconds) * 1000,
          gone: request.gone,
        });
        return messages.length === 0 ? {} : { Messages: messages.map((one) => receivedMessage(one, input, at.arnOf)) };
      }),
      PurgeQueue: operation(onQueue, (input, request) => {
        queues.store.purge(at.queue(input, 'PurgeQueue', request).name);
        return {};
      }),
      GetQueueAttributes: operation(onQueue.extend({ AttributeNames: names }), (input, request) => {
        const queue = at.queue(input, 'GetQueueAttributes', request);
        const { visible, inFlight, delayed } = queues.store.depth(queue.name);
        const all = {
          ...shownAttributes(queue, at.arnOf),
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(inFlight),
          ApproximateNumberOfMessagesDelayed: String(delayed),
        };
        return { Attributes: selected(all, input.AttributeNames) };
      }),
      CreateQueue: operation(createRow, ({ QueueName, Attributes }, request) => {
        request.require('sqs:CreateQueue', at.arnOf(QueueName));
        return { QueueUrl: urlOf(madeQueues.create(QueueName, Attributes)) };
      }),
      DeleteQueue: operation(onQueue, (input, request) => {
        madeQueues.remove(at.queue(input, 'DeleteQueue', request));
        return {};
      }),
      GetQueueUrl: operation(byName, ({ QueueName }, request) => ({
        QueueUrl: urlOf(at.named(QueueName, 'GetQueueUrl', request)),
      })),
      ListQueues: operation(z.strictObject({ QueueNamePrefix: z.string().default('') }), (input, request) => {
        request.require('sqs:ListQueues', at.arnOf('*'));
        const listed = queues.all().filter(({ name }) => name.startsWith(input.QueueNamePrefix));
        return { QueueUrls: listed.map(urlOf) };
      }),
      StartMessageMoveTask: startMoveTask(options),
    },
  });
}

/** The queues of this account, each for a caller who may do this to it. */
interface Place {
  readonly arnOf: (queueName: string) => string;
  readonly named: (name: string, action: string, request: AwsRequest) => LocalQueue;
  /** The last part of a queue's URL is the queue, with any host. */
  readonly queue: (input: { readonly QueueUrl: string }, action: string, request: AwsRequest) => LocalQueue;
}

function placeOf({ queues, region, accountId }: SqsServiceOptions): Place {
  const arnOf = (name: string): string => `arn:aws:sqs:${region}:${accountId}:${name}`;
  const named: Place['named'] = (name, action, request) => {
    request.require(`sqs:${action}`, arnOf(name));
    const queue = queues.byName(name);
    if (queue === undefined)
      throw sqsRefusal(
        'QueueDoesNotExist',
        'The specified queue does not exist.',
        'AWS.SimpleQueueService.NonExistentQueue',
      );
    return queue;
  };
  return {
    arnOf,
    named,
    queue: ({ QueueUrl }, action, request) => named(QueueUrl.split('/').at(-1) ?? '', action, request),
  };
}

/** An operation on one message and its batch, which needs the same right and answers entry by entry. */
function onOneAndMany<Row extends z.ZodType>(
  action: string,
  row: Row,
  at: Place,
  work: (queue: LocalQueue, input: z.output<Row>, request: AwsRequest) => JsonObject,
): Readonly<Record<string, AwsOperation>> {
  return {
    [action]: operation(z.looseObject({ QueueUrl: filledText }), ({ QueueUrl, ...input }, request) =>
      work(at.queue({ QueueUrl }, action, request), readInput(row, input, `sqs:${action}`, refuseInput), request),
    ),
    [`${action}Batch`]: operation(batchRow, (input, request) => {
      const queue = at.queue(input, action, request);
      refuseBatch(input.Entries);
      const [Successful, Failed]: [JsonObject[], JsonObject[]] = [[], []];
      for (const { Id, ...entry } of input.Entries) {
        try {
          const read = readInput(row, entry, `sqs:${action}`, refuseInput);
          Successful.push({ Id, ...work(queue, read, request) });
        } catch (error) {
          const { code, message, status } = toAwsError(error);
          Failed.push({ Id, Code: code.split('#').at(-1) ?? code, Message: message, SenderFault: status < 500 });
        }
      }
      return { Successful, Failed };
    }),
  };
}

function send(
  queues: Queues,
  queue: LocalQueue,
  message: z.output<typeof messageRow>,
  { caller }: AwsRequest,
): JsonObject {
  const { MessageBody: body, MessageAttributes: attributes, DelaySeconds } = message;
  const most = queue.attributes.MaximumMessageSize;
  if (messageBytes(message) > most) throw refuseInput(`Message must be shorter than ${most} bytes.`);
  const MessageId = queues.send(queue, {
    body,
    attributes: JSON.stringify(attributes),
    senderId: senderIdOf(caller),
    delayMs: DelaySeconds === undefined ? undefined : DelaySeconds * 1000,
  });
  return { MessageId, MD5OfMessageBody: md5(body), ...attributesDigest(attributes) };
}

function changeVisibility(
  queues: Queues,
  queue: LocalQueue,
  { ReceiptHandle, VisibilityTimeout: seconds }: z.output<typeof visibilityRow>,
): JsonObject {
  const state = queues.store.changeVisibility(queue.name, ReceiptHandle, seconds * 1000);
  if (state === 'unknown')
    throw refuseInput(
      `Value ${ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
    );
  if (state === 'too long')
    throw refuseInput(
      `Total VisibilityTimeout for the message is beyond the limit [${mostVisibilitySeconds} seconds].`,
    );
  if (state === 'visible') throw sqsRefusal('MessageNotInflight', 'The message referred to is not in flight.');
  if (seconds === 0) queues.wake(queue.name);
  return {};
}

const moveRow = z.strictObject({ SourceArn: filledText, DestinationArn: z.string().optional() });

/** Everything in a dead-letter queue goes back to its source, at once. */
function startMoveTask({ queues, now }: SqsServiceOptions): AwsOperation {
  const queueAt = (arn: string): LocalQueue => {
    const queue = queues.byArn(arn);
    if (queue !== undefined) return queue;
    throw refuseInput(`The resource ${arn} doesn't exist.`, 'ResourceNotFoundException');
  };
  return operation(moveRow, ({ SourceArn, DestinationArn }, request) => {
    for (const action of ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
      request.require(`sqs:${action}`, SourceArn);
    const source = queueAt(SourceArn);
    const origins = queues.all().filter(({ redrive }) => redrive?.queue === source.name);
    const destination = DestinationArn === undefined ? origins[0] : queueAt(DestinationArn);
    if (destination === undefined || (DestinationArn === undefined && origins.length > 1))
      throw refuseInput('Source queue must be the dead-letter queue of one queue, or name DestinationArn.');
    request.require('sqs:SendMessage', destination.arn);
    queues.store.moveAll(source.name, destination.name);
    queues.wake(destination.name);
    return { TaskHandle: Buffer.from(`${source.name}/${now()}`).toString('base64') };
  });
}
