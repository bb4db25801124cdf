/**
 * SQS in the JSON protocol of today's SDKs and command lines: standard queues as the template
 * declares them.
 *
 * Written here and not taken from a library: docs/adr/0007-our-own-queues-and-objects.md says why.
 */
import * as z from 'zod';
import { arnIn, type ResolvedAssembly } from '../../template/cloud-assembly.ts';
import type { JsonObject } from '../../template/json.ts';
import { senderIdOf } from '../iam/authority.ts';
import type { AwsRequest, AwsService } from '../wire/aws-service.ts';
import { toAwsError } from '../aws-error.ts';
import { jsonService, type AwsOperation, operation, readInput, filledText } from '../wire/operations.ts';
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
  visibilityRow,
} from './messages.ts';
import type { Queues } from './queues.ts';
import { type LocalQueue, shownAttributes } from './declared-queues.ts';

const names = z.array(z.string()).default([]);
const onQueue = z.strictObject({ QueueUrl: filledText });

const receiveRow = onQueue.extend({
  MaxNumberOfMessages: between(1, 10).default(1),
  VisibilityTimeout: between(0, mostVisibilitySeconds).optional(),
  WaitTimeSeconds: between(0, 20).optional(),
  AttributeNames: names,
  MessageSystemAttributeNames: names,
  MessageAttributeNames: names,
});

export function createSqsService(queues: Queues, assembly: ResolvedAssembly): AwsService {
  const at = placeOf(queues, assembly);
  return jsonService({
    name: 'sqs',
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
      StartMessageMoveTask: startMoveTask(queues),
    },
  });
}

/** The queues of this account, each for a caller who may do this to it. */
interface Place {
  readonly arnOf: (queueName: string) => string;
  /** The last part of a queue's URL is the queue, with any host. */
  readonly queue: (input: { readonly QueueUrl: string }, action: string, request: AwsRequest) => LocalQueue;
}

function placeOf(queues: Queues, assembly: ResolvedAssembly): Place {
  const arnOf = (name: string): string => arnIn(assembly, 'sqs', name);
  return {
    arnOf,
    queue({ QueueUrl }, action, request) {
      const name = QueueUrl.split('/').at(-1) ?? '';
      request.require(`sqs:${action}`, arnOf(name));
      const queue = queues.byName(name);
      if (queue === undefined) throw refuseInput('The specified queue does not exist.', 'QueueDoesNotExist');
      return queue;
    },
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
  if (state === 'visible') throw refuseInput('The message referred to is not in flight.', 'MessageNotInflight');
  if (seconds === 0) queues.wake(queue.name);
  return {};
}

/** Everything in a dead-letter queue goes back to its source, at once. */
function startMoveTask(queues: Queues): AwsOperation {
  return operation(z.strictObject({ SourceArn: filledText }), ({ SourceArn }, request) => {
    for (const action of ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
      request.require(`sqs:${action}`, SourceArn);
    const source = queues.byArn(SourceArn);
    if (source === undefined)
      throw refuseInput(`The resource ${SourceArn} doesn't exist.`, 'ResourceNotFoundException');
    const [origin, ...others] = queues.all().filter(({ redrive }) => redrive?.queue === source.name);
    if (origin === undefined || others.length > 0)
      throw refuseInput('Source queue must be the dead-letter queue of one queue.');
    request.require('sqs:SendMessage', origin.arn);
    queues.store.moveAll(source.name, origin.name);
    queues.wake(origin.name);
    return { TaskHandle: source.name };
  });
}
