/** One batch of an event source mapping: to the function, and what succeeded out of the queue. */
import { jsonIn } from '#shared/text/json-in.ts';
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { LocalMapping, MappingPorts, QueueReader, ReceivedMessage } from './mapping.ts';

/** What lies between a queue and its function. */
export interface BatchLine {
  readonly mapping: LocalMapping;
  readonly ports: MappingPorts;
  readonly queue: QueueReader;
  readonly say: SaidOnce;
}

/** Never rejects: any failure leaves the messages in the queue, and they come back. */
export async function deliverBatch(
  messages: readonly ReceivedMessage[],
  { mapping, ports: { access, invoke }, queue, say }: BatchLine,
): Promise<void> {
  try {
    const event = sqsEvent(messages, { queueArn: mapping.queueArn, region: access.region });
    const answer = await invoke(mapping.functionName, event);
    const ids = messages.map(({ MessageId }) => MessageId);
    const failed = mapping.reportsItemFailures ? failedOf(ids, answer.payload) : [];
    if (typeof failed === 'string') say.problem('answer', failed);
    else say.fine('answer');

    const isWhole = answer.functionError !== undefined || typeof failed === 'string';
    const problems = await queue.remove(isWhole ? [] : messages.filter(({ MessageId }) => !failed.includes(MessageId)));
    for (const problem of problems) say.problem('delete', problem);
    if (problems.length === 0) say.fine('delete');
    say.fine('batch');
  } catch (error) {
    say.problem('batch', error);
  }
}

// Messages of SQS as the records that Lambda hands to a function.

/** The source of the messages. */
interface SqsSource {
  readonly queueArn: string;
  readonly region: string;
}

/** The event for a batch, as JSON. */
function sqsEvent(messages: readonly Message[], source: SqsSource): string {
  return JSON.stringify({ Records: messages.map((message) => sqsRecord(message, source)) });
}

function sqsRecord(message: Message, { queueArn, region }: SqsSource): object {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attributeOf(value)]),
    ),
    md5OfMessageAttributes: message.MD5OfMessageAttributes,
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function attributeOf(value: MessageAttributeValue): object {
  return {
    stringValue: value.StringValue,
    binaryValue: value.BinaryValue === undefined ? undefined : Buffer.from(value.BinaryValue).toString('base64'),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType,
  };
}

// Says a problem once, until it changes or is over: a missing grant would otherwise fill the
// screen.

/** What is said about one thing that can go wrong in several ways. */
export interface SaidOnce {
  readonly problem: (what: string, error: unknown) => void;
  /** It works; said only after a problem. */
  readonly fine: (what: string) => void;
}

/** Starts with nothing said. */
export function sayOnce(subject: string, log: (line: string) => void): SaidOnce {
  const said = new Map<string, string>();
  return {
    problem(what, error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      if (said.get(what) === text) return;
      said.set(what, text);
      log(`${subject}, ${what}: ${text}`);
    },
    fine(what) {
      if (said.delete(what)) log(`${subject}, ${what}: works again.`);
    },
  };
}

// Which messages of a batch a function has failed at, read from its answer exactly as Lambda's
// event source mapping reads it. They are left in the queue and come back when their visibility
// timeout is over.

const batchAnswer = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .or(z.null())
  .or(z.literal(''));

/**
 * The messages that an answer names, or what is wrong with it: then the whole batch has failed. No
 * answer, an empty one or an empty list is success.
 */
function failedOf(messageIds: readonly string[], payload: string): readonly string[] | string {
  const { data, success } = batchAnswer.safeParse(payload === '' ? null : jsonIn(payload)); // an empty body is an empty answer
  if (!success) return 'the answer is not {"batchItemFailures": [{"itemIdentifier": …}]}';
  const named = (data === '' ? null : data)?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  const stranger = named.find((id) => !messageIds.includes(id));
  return stranger === undefined ? named : `itemIdentifier "${stranger}" is no message of this batch`;
}
