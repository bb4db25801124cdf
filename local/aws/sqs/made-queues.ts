import type { Authority } from '../iam/authority.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isJsonObject,
  type JsonObject,
  parseJsonObject,
} from '../../template/assembly.ts';
import type { MadeResources } from '../storage/open-database.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { toAwsError } from '../wire/xml.ts';
import { type LocalQueue, type Queues, readQueueProperties } from './queues.ts';

/** What making queues touches. */
export interface MadeQueuesOptions {
  readonly queues: Queues;
  readonly made: MadeResources;
  readonly authority: Pick<Authority, 'putResourcePolicy'>;
  readonly arnOf: (name: string) => string;
}

/** Makes and deletes queues. */
export interface MadeQueues {
  create(input: JsonObject): LocalQueue;
  remove(queue: LocalQueue): void;
}

/**
 * Attributes of CreateQueue that mean something here (SQS API, CreateQueue); any other is refused
 * by its name.
 */
const KNOWN_ATTRIBUTES = new Set([
  'DelaySeconds',
  'MessageRetentionPeriod',
  'Policy',
  'ReceiveMessageWaitTimeSeconds',
  'SqsManagedSseEnabled',
  'VisibilityTimeout',
]);

/** Opens the queues that an earlier run made. */
export function openMadeQueues(options: MadeQueuesOptions): MadeQueues {
  const { queues, made, authority, arnOf } = options;

  function open(name: string, attributes: JsonObject): LocalQueue {
    const queue = readQueueProperties({ name, arn: arnOf(name), properties: attributes });
    const policy = asText(attributes['Policy']) ?? '';
    authority.putResourcePolicy(
      queue.arn,
      policy === '' ? undefined : parseJsonObject(policy, `the policy of ${name}`),
    );
    queues.add(queue);
    return queue;
  }

  for (const kept of made.all('queue')) open(asText(kept['name']) ?? '', asObject(kept['attributes']));

  return {
    create(input) {
      const name = asText(input['QueueName']) ?? '';
      const attributes = asObject(input['Attributes']);
      refuseBadQueue(name, attributes);
      const before = queues.byName(name);
      if (before !== undefined) {
        // SQS API, CreateQueue: the same name and attributes answer the same address, others are an
        // error.
        const isSame = Object.entries(attributes).every(([key, value]) => before.attributes[key] === asText(value));
        if (isSame) return before;
        throw new AwsError('QueueAlreadyExists', 'A queue already exists with the same name and a different value', {
          queryCode: 'QueueAlreadyExists',
        });
      }
      const queue = open(name, attributes);
      made.put('queue', name, { name, attributes });
      return queue;
    },
    remove(queue) {
      const isMade = made.all('queue').some(({ name }) => name === queue.name);
      if (!isMade)
        throw new AwsError('NotEmulated', `${queue.name} is a queue of the template: it stays`, { status: 501 });
      made.remove('queue', queue.name);
      authority.putResourcePolicy(queue.arn, undefined);
      queues.remove(queue.name);
    },
  };
}

function refuseBadQueue(name: string, attributes: JsonObject): void {
  if (!/^[\w-]{1,80}$/.test(name))
    throw invalidParameter('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
  const unknown = Object.keys(attributes).find((key) => !KNOWN_ATTRIBUTES.has(key));
  if (unknown !== undefined) throw new AwsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  const policy = asText(attributes['Policy']) ?? '';
  if (policy !== '' && !isPolicy(policy)) {
    throw new AwsError('InvalidAttributeValue', 'Invalid value for the parameter Policy.');
  }
}

function isPolicy(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

// Reading SQS requests, and the answers to those that can't be read.

/** SQS's word for a wrong value. */
export function invalidParameter(message: string): AwsError {
  return new AwsError('InvalidParameterValue', message, { queryCode: 'InvalidParameterValue' });
}

/** SQS's word for a queue it does not know. */
export function queueDoesNotExist(): AwsError {
  return new AwsError('com.amazonaws.sqs#QueueDoesNotExist', 'The specified queue does not exist.', {
    queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
  });
}

/**
 * A whole number within its bounds; `fallback` if the request has none, required if that is
 * undefined.
 */
export function bounded(
  input: JsonObject,
  key: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback?: number | undefined },
): number {
  const value = input[key] === undefined ? fallback : asNumber(input[key]);
  if (value === undefined || !Number.isInteger(value) || value < min || value > max)
    throw invalidParameter(
      `Value ${String(asText(input[key]))} for parameter ${key} is invalid. Reason: Must be between ${min} and ${max}.`,
    );
  return value;
}

/** The entries of a batch: one to ten, each with an id of its own. */
export function batchEntries(input: JsonObject): JsonObject[] {
  const entries = asList(input['Entries']).map(asObject);
  if (entries.length === 0)
    throw new AwsError('com.amazonaws.sqs#EmptyBatchRequest', 'There should be at least one entry in the request.', {
      queryCode: 'AWS.SimpleQueueService.EmptyBatchRequest',
    });
  if (entries.length > 10)
    throw new AwsError(
      'com.amazonaws.sqs#TooManyEntriesInBatchRequest',
      'Maximum number of entries per request are 10.',
      {
        queryCode: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
      },
    );
  if (new Set(entries.map((entry) => asText(entry['Id']))).size < entries.length)
    throw new AwsError('com.amazonaws.sqs#BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.', {
      queryCode: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
    });
  return entries;
}

/** A failed entry of a batch. */
export function failedEntry(id: string, thrown: unknown): JsonObject {
  const { code, message, status } = toAwsError(thrown);
  return { Id: id, Code: code.split('#').at(-1) ?? code, Message: message, SenderFault: status < 500 };
}
