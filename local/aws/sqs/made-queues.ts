/**
 * CreateQueue and DeleteQueue: standard queues beside those of the template, with their own policy. A queue of the template is not deleted here:
 * the next start would make it again.
 */
import type { Authority } from '../../iam/authority.ts';
import { asObject, asText, isJsonObject, parseJsonObject } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import type { MadeResources } from '../storage/made-resources.ts';
import { AwsError } from '../wire/aws-error.ts';
import type { Queue } from './queue-settings.ts';
import { readQueueProperties } from './queue-settings.ts';
import type { Queues } from './queues.ts';
import { invalidParameter } from './sqs-input.ts';

/** What making queues touches. */
export interface MadeQueuesOptions {
  readonly queues: Queues;
  readonly made: MadeResources;
  readonly authority: Pick<Authority, 'putResourcePolicy'>;
  readonly arnOf: (name: string) => string;
}

/** Makes and deletes queues. */
export interface MadeQueues {
  create(input: JsonObject): Queue;
  remove(queue: Queue): void;
}

/** Attributes of CreateQueue that mean something here (SQS API, CreateQueue); any other is refused by its name. */
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

  function open(name: string, attributes: JsonObject): Queue {
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
        // SQS API, CreateQueue: the same name and attributes answer the same address, others are an error.
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
