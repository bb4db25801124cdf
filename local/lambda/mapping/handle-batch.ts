/** One batch of an event source mapping: to the function, and what succeeded out of the queue. */
import { judgeBatch } from './batch-answer.ts';
import type { LocalMapping, MappingPorts } from './mapping.ts';
import type { QueueReader, ReceivedMessage } from './queue-reader.ts';
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/** What lies between a queue and its function. */
export interface BatchLine {
  readonly mapping: LocalMapping;
  readonly ports: MappingPorts;
  readonly queue: QueueReader;
  readonly say: SaidOnce;
}

/** Never rejects: whatever goes wrong leaves the messages in the queue, and they come back. */
export async function handleBatch(
  messages: readonly ReceivedMessage[],
  { mapping, ports: { access, invoke }, queue, say }: BatchLine,
): Promise<void> {
  try {
    const event = sqsEvent(messages, { queueArn: mapping.queueArn, region: access.region });
    const answer = await invoke(mapping.functionName, event);
    const ids = messages.map(({ MessageId }) => MessageId);
    const verdict = judgeBatch(ids, answer, mapping.reportsItemFailures);
    if (verdict.problem === undefined) say.fine('answer');
    else say.problem('answer', verdict.problem);

    const succeeded = new Set(verdict.succeeded);
    const problems = await queue.remove(messages.filter(({ MessageId }) => succeeded.has(MessageId)));
    for (const problem of problems) say.problem('delete', problem);
    if (problems.length === 0) say.fine('delete');
    say.fine('batch');
  } catch (error) {
    say.problem('batch', error);
  }
}

/** Messages of SQS as the records that Lambda hands to a function. */

/** Where the messages come from. */
export interface SqsSource {
  readonly queueArn: string;
  readonly region: string;
}

/** The event for a batch, as JSON. */
export function sqsEvent(messages: readonly Message[], source: SqsSource): string {
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
    ...(value.BinaryValue === undefined ? {} : { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType,
  };
}

/** Says a problem once, until it changes or is over: a missing grant would otherwise fill the screen. */

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
