/** What SQS takes and gives as a message: rows of its input, and the attributes with their digest. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type JsonObject, parseJsonObject } from '../../template/json.ts';
import { AwsError } from '../aws-error.ts';
import { type InputRefusal, filledText } from '../wire/operations.ts';
import type { StoredMessage } from './queue-store.ts';

/** SQS's refusal of a wrong value, unless the row has a name for it. */
export const refuseInput: InputRefusal = (message, code = 'InvalidParameterValue') =>
  new AwsError(`com.amazonaws.sqs#${code}`, message);

/** Of the entries of a batch together; of one message a queue may take less. */
const mostBatchBytes = 1_048_576;
/** Twelve hours. */
export const mostVisibilitySeconds = 43_200;

/** What a body may hold (SendMessage, Amazon SQS API Reference). */
const allowedCharacters = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

const attribute = z.strictObject({
  DataType: z.string(),
  StringValue: z.string().optional(),
  BinaryValue: z.string().optional(),
});
type Attributes = Readonly<Record<string, z.output<typeof attribute>>>;

/** A whole number of a request. */
export function between(least: number, most: number) {
  const problem = `Must be between ${least} and ${most}.`;
  return z.int(problem).min(least, problem).max(most, problem);
}

/** SendMessage, and an entry of its batch. */
export const messageRow = z.strictObject({
  MessageBody: filledText.refine((body) => allowedCharacters.test(body), {
    error: 'Valid characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    params: { code: 'InvalidMessageContents' },
  }),
  MessageAttributes: z.record(z.string(), attribute).default({}),
  DelaySeconds: between(0, 900).optional(),
});

/** DeleteMessage, and an entry of its batch. */
export const receiptRow = z.strictObject({ ReceiptHandle: filledText });

/** ChangeMessageVisibility, and an entry of its batch. */
export const visibilityRow = receiptRow.extend({ VisibilityTimeout: between(0, mostVisibilitySeconds) });

/** SendMessageBatch and the like; each entry is read by the row of the operation on one message. */
export const batchRow = z.strictObject({
  QueueUrl: filledText,
  Entries: z.array(z.looseObject({ Id: filledText })).default([]),
});
type Entry = z.output<typeof batchRow>['Entries'][number];

/** Refuses a batch unless it has one to ten entries, each with an id of its own, and is no larger than one message. */
export function refuseBatch(entries: readonly Entry[]): void {
  const sized = z.object({ MessageBody: z.string(), MessageAttributes: messageRow.shape.MessageAttributes });
  const bytes = entries.reduce((sum, entry) => sum + messageBytes(sized.safeParse(entry).data), 0);
  if (entries.length === 0)
    throw refuseInput('There should be at least one entry in the request.', 'EmptyBatchRequest');
  if (entries.length > 10)
    throw refuseInput('Maximum number of entries per request are 10.', 'TooManyEntriesInBatchRequest');
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
    throw refuseInput('Two or more batch entries have the same Id.', 'BatchEntryIdsNotDistinct');
  if (bytes > mostBatchBytes)
    throw refuseInput(
      `A batch has at most ${mostBatchBytes} bytes. You have sent ${bytes} bytes.`,
      'BatchRequestTooLong',
    );
}

/** Its body, and of each attribute the name, type and value. */
export function messageBytes(message?: Pick<z.output<typeof messageRow>, 'MessageBody' | 'MessageAttributes'>): number {
  const { MessageBody = '', MessageAttributes = {} } = message ?? {};
  return Object.entries(MessageAttributes).reduce(
    (sum, [name, { DataType, ...value }]) => sum + Buffer.byteLength(name + DataType) + valueOf(value).length,
    Buffer.byteLength(MessageBody),
  );
}

function valueOf({ StringValue = '', BinaryValue }: Partial<Attributes[string]>): Buffer {
  return BinaryValue === undefined ? Buffer.from(StringValue) : Buffer.from(BinaryValue, 'base64');
}

/** Attributes of a message that are texts, as the store keeps them. */
export function textAttributes(texts: Readonly<Record<string, string>>): string {
  const attributes = Object.entries(texts).map(([name, text]) => [name, { DataType: 'String', StringValue: text }]);
  return JSON.stringify(Object.fromEntries(attributes));
}

/** What a receiver asks to see of a message. */
interface Shown {
  readonly AttributeNames: readonly string[];
  readonly MessageSystemAttributeNames: readonly string[];
  readonly MessageAttributeNames: readonly string[];
}

/** A message as a receiver gets it, with the attributes that the request asked for. */
export function receivedMessage(message: StoredMessage, asked: Shown, arnOf: (queue: string) => string): object {
  const { id, receipt, body, senderId, source } = message;
  const system: JsonObject = {
    ...(senderId === null ? {} : { SenderId: senderId }),
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(source === null ? {} : { DeadLetterQueueSourceArn: arnOf(source) }),
  };
  const Attributes = selected(system, [...asked.AttributeNames, ...asked.MessageSystemAttributeNames]);
  const kept = parseJsonObject(message.attributes, 'message attributes');
  const MessageAttributes = selected(kept, asked.MessageAttributeNames);
  return {
    MessageId: id,
    ReceiptHandle: receipt,
    MD5OfBody: md5(body),
    Body: body,
    Attributes,
    MessageAttributes,
    ...attributesDigest(messageRow.shape.MessageAttributes.parse(MessageAttributes)),
  };
}

/** The attributes that the receiver named, if there are any: by name, by `prefix.*`, or `All`. */
export function selected(attributes: JsonObject, names: readonly string[]): JsonObject | undefined {
  const isNamed = (name: string): boolean =>
    names.some(
      (asked) => asked === 'All' || asked === name || (asked.endsWith('.*') && name.startsWith(asked.slice(0, -2))),
    );
  const found = Object.entries(attributes).filter(([name]) => isNamed(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** MD5 of a text in hex. */
export function md5(text: string | Buffer): string {
  return createHash('md5').update(text).digest('hex');
}

/** The digest of attributes, if there are any: sorted by name, each part with its length before it. */
export function attributesDigest(attributes: Attributes): { MD5OfMessageAttributes?: string } {
  const sorted = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1));
  if (sorted.length === 0) return {};
  const parts = sorted.flatMap(([name, value]) => [
    withLength(Buffer.from(name)),
    withLength(Buffer.from(value.DataType)),
    Buffer.from([value.BinaryValue === undefined ? 1 : 2]),
    withLength(valueOf(value)),
  ]);
  return { MD5OfMessageAttributes: md5(Buffer.concat(parts)) };
}

function withLength(value: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
}
