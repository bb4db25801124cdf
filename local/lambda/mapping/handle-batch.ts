/** One batch of an event source mapping: to the function, and what succeeded out of the queue. */
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
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

// Which messages of a batch a function has dealt with, read from its answer exactly as Lambda's
// event source mapping reads it. What is not dealt with is left in the queue and comes back when
// its visibility timeout is over. Pure.

/** What becomes of a batch. */
interface BatchVerdict {
  /** Deleted from the queue. */
  readonly succeeded: readonly string[];
  /** Left in the queue. */
  readonly failed: readonly string[];
  /** Set if the whole batch failed because the answer itself was wrong. */
  readonly problem?: string | undefined;
}

/** The parts of an invocation's result that count. */
interface BatchAnswer {
  readonly payload: string;
  readonly functionError?: string | undefined;
}

/**
 * Judges a batch.
 *
 * A function error fails it whole. Without ReportBatchItemFailures any other answer is success.
 * With it, no answer, an empty one or an empty list is success too. An identifier that is empty or
 * not of this batch, and an answer of another shape, fail the whole batch.
 */
function judgeBatch(messageIds: readonly string[], answer: BatchAnswer, reportsItemFailures: boolean): BatchVerdict {
  if (answer.functionError !== undefined) return allFailed(messageIds);
  if (!reportsItemFailures) return { succeeded: messageIds, failed: [] };

  const named = failuresNamedBy(answer.payload);
  if (typeof named === 'string') return allFailed(messageIds, named);
  const stranger = named.find((id) => !messageIds.includes(id));
  if (stranger !== undefined) return allFailed(messageIds, `itemIdentifier "${stranger}" is no message of this batch`);
  const failed = new Set(named);
  return {
    succeeded: messageIds.filter((id) => !failed.has(id)),
    failed: messageIds.filter((id) => failed.has(id)),
  };
}

/** The identifiers that an answer names, or what is wrong with it. */
function failuresNamedBy(payload: string): readonly string[] | string {
  const answer = parseJson(payload);
  if (answer === undefined) return 'the answer is not JSON';
  if (answer === null || answer === '') return [];
  if (typeof answer !== 'object' || Array.isArray(answer)) return 'the answer is not an object with batchItemFailures';
  const failures: unknown = 'batchItemFailures' in answer ? answer.batchItemFailures : null;
  if (failures === null) return [];
  if (!Array.isArray(failures)) return 'batchItemFailures is not a list';
  const identifiers = failures.map((item: unknown) => identifierOf(item));
  const named = identifiers.filter((id): id is string => id !== undefined && id !== '');
  return named.length === identifiers.length ? named : 'a batch item failure has no itemIdentifier';
}

function identifierOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('itemIdentifier' in item)) return undefined;
  return typeof item.itemIdentifier === 'string' ? item.itemIdentifier : undefined;
}

function parseJson(text: string): unknown {
  if (text === '') return null; // an empty body is an empty answer
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller says so: nothing that JSON can hold reads as undefined
  }
}

function allFailed(messageIds: readonly string[], problem?: string): BatchVerdict {
  return { succeeded: [], failed: messageIds, problem };
}
