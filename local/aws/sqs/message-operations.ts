import { asObject, asText, type JsonObject, parseJsonObject, textsOf } from '../../template/assembly.ts';
import { requiredParameter } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import type { LocalQueue, Queues } from './queues.ts';
import type { StoredMessage } from './queue-store.ts';
import { bounded, invalidParameter } from './made-queues.ts';
import { createHash } from 'node:crypto';

/** An operation on one queue. */
export type QueueOperation = (queues: Queues, queue: LocalQueue, input: JsonObject, senderId?: string) => JsonObject;

/** What a body may hold; any other character is refused with InvalidMessageContents (SendMessage, Amazon SQS API Reference). */
const allowedCharacters = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;
/** Of the entries of a batch together; of one message a queue may take less. */
const MAX_BATCH_BYTES = 1024 * 1024;
/** Twelve hours, AWS's maximum. */
export const MAX_VISIBILITY_SECONDS = 43_200;
/** A quarter of an hour, AWS's maximum. */
const MAX_DELAY_SECONDS = 900;

/** SendMessage, and one entry of SendMessageBatch. */
export const sendMessage: QueueOperation = (queues, queue, input, senderId) => {
  const body = requiredParameter(input, 'MessageBody');
  const attributes = asObject(input['MessageAttributes']);
  if (messageBytes(input) > queue.maxMessageBytes)
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${queue.maxMessageBytes} bytes.`,
    );
  if (!allowedCharacters.test(body))
    throw new AwsError(
      'com.amazonaws.sqs#InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
      {
        queryCode: 'InvalidMessageContents',
      },
    );
  const hasDelay = input['DelaySeconds'] !== undefined;
  const id = queues.send(queue, {
    body,
    attributes: JSON.stringify(attributes),
    senderId,
    delayMs: hasDelay ? bounded(input, 'DelaySeconds', { min: 0, max: MAX_DELAY_SECONDS }) * 1000 : undefined,
  });
  const digest = md5OfAttributes(attributes);
  return {
    MessageId: id,
    MD5OfMessageBody: md5(body),
    ...(digest === undefined ? {} : { MD5OfMessageAttributes: digest }),
  };
};

/** What counts of a message, or of one entry of a batch: its body, and of each attribute the name, type and value. */
function messageBytes({ MessageBody, MessageAttributes }: JsonObject): number {
  return Buffer.byteLength(asText(MessageBody) ?? '') + bytesOfAttributes(asObject(MessageAttributes));
}

/** SendMessageBatch: all its entries together are no larger than one message. */
export function refuseLongBatch(entries: readonly JsonObject[]): void {
  const bytes = entries.reduce((sum, entry) => sum + messageBytes(entry), 0);
  if (bytes <= MAX_BATCH_BYTES) return;
  throw new AwsError(
    'com.amazonaws.sqs#BatchRequestTooLong',
    `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes. You have sent ${bytes} bytes.`,
    { queryCode: 'AWS.SimpleQueueService.BatchRequestTooLong' },
  );
}

/** ChangeMessageVisibility, and one entry of its batch. */
export const changeVisibility: QueueOperation = (queues, queue, input) => {
  const receipt = requiredParameter(input, 'ReceiptHandle');
  const seconds = bounded(input, 'VisibilityTimeout', { min: 0, max: MAX_VISIBILITY_SECONDS });
  const state = queues.store.changeVisibility(queue.name, receipt, seconds * 1000);
  if (state === 'unknown')
    throw invalidParameter(
      `Value ${receipt} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
    );
  if (state === 'too long')
    throw invalidParameter(
      `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${MAX_VISIBILITY_SECONDS} seconds].`,
    );
  if (state === 'visible')
    throw new AwsError('com.amazonaws.sqs#MessageNotInflight', 'The message referred to is not in flight.', {
      queryCode: 'AWS.SimpleQueueService.MessageNotInflight',
    });
  if (seconds === 0) queues.wake(queue.name);
  return {};
};

/** DeleteMessage, and one entry of its batch. An unknown receipt is no error, as on AWS. */
export const deleteMessage: QueueOperation = (queues, queue, input) => {
  queues.store.remove(queue.name, requiredParameter(input, 'ReceiptHandle'));
  return {};
};

/** PurgeQueue. */
export const purgeQueue: QueueOperation = (queues, queue) => {
  queues.store.purge(queue.name);
  return {};
};

/** GetQueueAttributes. */
export const queueAttributes: QueueOperation = (queues, queue, input) => {
  const { visible, inFlight, delayed } = queues.store.depth(queue.name);
  const all: Record<string, string> = {
    ...queue.attributes,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    SqsManagedSseEnabled: 'true',
  };
  return { Attributes: selectAttributes(all, textsOf(input['AttributeNames'])) };
};

/** A message as a receiver gets it, with the attributes that the request asked for. `arnOf` names a queue's ARN. */
export function receivedMessage(
  message: StoredMessage,
  input: JsonObject,
  arnOf: (queueName: string) => string,
): JsonObject {
  const system: Record<string, string> = {
    ...(message.senderId === undefined ? {} : { SenderId: message.senderId }),
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.source === undefined ? {} : { DeadLetterQueueSourceArn: arnOf(message.source) }),
  };
  const asked = [...textsOf(input['AttributeNames']), ...textsOf(input['MessageSystemAttributeNames'])];
  const shown = selectAttributes(system, asked);
  const stored = parseJsonObject(message.attributes, 'message attributes');
  const attributes = selectAttributes(stored, textsOf(input['MessageAttributeNames']));
  const digest = md5OfAttributes(attributes);
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(Object.keys(shown).length === 0 ? {} : { Attributes: shown }),
    ...(digest === undefined ? {} : { MessageAttributes: attributes, MD5OfMessageAttributes: digest }),
  };
}

// Message attributes: the digest that clients check, and the selection that a receiver asks for.

/** MD5 of a text in hex. */
function md5(text: string | Buffer): string {
  return createHash('md5').update(text).digest('hex');
}

/** Attributes of a message that are texts, as the store keeps them. */
export function textAttributes(texts: Readonly<Record<string, string>>): string {
  const attributes = Object.entries(texts).map(([name, text]) => [name, { DataType: 'String', StringValue: text }]);
  return JSON.stringify(Object.fromEntries(attributes));
}

/** The digest of message attributes as SQS defines it: sorted by name, each part with its length before it. */
function md5OfAttributes(attributes: JsonObject): string | undefined {
  const names = Object.keys(attributes).toSorted();
  if (names.length === 0) return undefined;
  const parts = names.flatMap((name) => {
    const attribute = asObject(attributes[name]);
    const binary = asText(attribute['BinaryValue']);
    const value =
      binary === undefined ? Buffer.from(asText(attribute['StringValue']) ?? '') : Buffer.from(binary, 'base64');
    const kind = Buffer.from([binary === undefined ? 1 : 2]);
    return [sized(Buffer.from(name)), sized(Buffer.from(asText(attribute['DataType']) ?? '')), kind, sized(value)];
  });
  return md5(Buffer.concat(parts));
}

/** The name, the type and the value of each count towards the size of a message. */
function bytesOfAttributes(attributes: JsonObject): number {
  return Object.entries(attributes).reduce((sum, [name, value]) => {
    const { DataType, StringValue, BinaryValue } = asObject(value);
    const binary = Buffer.byteLength(asText(BinaryValue) ?? '', 'base64');
    return sum + binary + Buffer.byteLength(`${name}${asText(DataType) ?? ''}${asText(StringValue) ?? ''}`);
  }, 0);
}

function sized(value: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
}

/** The attributes that the receiver named: by name, by `prefix.*`, or `All`. */
function selectAttributes(attributes: JsonObject, names: readonly string[]): JsonObject {
  const wanted = (name: string): boolean =>
    names.some(
      (asked) =>
        asked === 'All' ||
        asked === '.*' ||
        asked === name ||
        (asked.endsWith('.*') && name.startsWith(asked.slice(0, -1))),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => wanted(name)));
}
