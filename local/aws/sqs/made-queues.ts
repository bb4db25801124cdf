import * as z from 'zod';
import { asObject, asText, type JsonObject, parseJsonObject } from '../../template/assembly.ts';
import { queueRow } from '../../template/resource-properties.ts';
import type { Authority } from '../iam/authority.ts';
import type { MadeResources } from '../storage/open-database.ts';
import { notEmulated } from '../wire/messages.ts';
import { readInput } from '../wire/operations.ts';
import { refuseInput } from './messages.ts';
import type { LocalQueue, Queues } from './queues.ts';

/** What making queues touches. */
export interface MadeQueuesOptions {
  readonly queues: Queues;
  readonly made: MadeResources;
  readonly authority: Pick<Authority, 'putResourcePolicy'>;
  readonly arnOf: (name: string) => string;
}

/** Makes and deletes queues. */
export interface MadeQueues {
  create(name: string, attributes: Readonly<Record<string, string>>): LocalQueue;
  remove(queue: LocalQueue): void;
}

const queueName = z
  .string()
  .regex(/^[\w-]{1,80}$/, 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');

/** Opens the queues that an earlier run made. */
export function openMadeQueues({ queues, made, authority, arnOf }: MadeQueuesOptions): MadeQueues {
  function open(name: string, sent: JsonObject): LocalQueue {
    const attributes = readInput(queueRow, sent, 'sqs:CreateQueue', refuseInput);
    const queue = { name, arn: arnOf(name), attributes };
    authority.putResourcePolicy(queue.arn, policyIn(attributes.Policy));
    queues.add(queue);
    return queue;
  }

  for (const kept of made.all('queue')) open(asText(kept['name']) ?? '', asObject(kept['attributes']));

  return {
    create(name, attributes) {
      readInput(queueName, name, 'sqs:CreateQueue', refuseInput);
      const before = queues.byName(name);
      if (before !== undefined) {
        // SQS API, CreateQueue: the same name and attributes answer the same address, others are an
        // error.
        const known = new Map(Object.entries(before.attributes).map(([key, value]) => [key, String(value)]));
        if (Object.entries(attributes).every(([key, value]) => known.get(key) === value)) return before;
        throw refuseInput('A queue already exists with the same name and a different value', 'QueueAlreadyExists');
      }
      const queue = open(name, attributes);
      made.put('queue', name, { name, attributes });
      return queue;
    },
    remove(queue) {
      const isMade = made.all('queue').some(({ name }) => name === queue.name);
      if (!isMade) throw notEmulated('sqs', `DeleteQueue of ${queue.name}, a queue of the template,`);
      made.remove('queue', queue.name);
      authority.putResourcePolicy(queue.arn, undefined);
      queues.remove(queue.name);
    },
  };
}

function policyIn(text = ''): JsonObject | undefined {
  if (text === '') return undefined;
  try {
    return parseJsonObject(text, 'the policy');
  } catch {
    throw refuseInput('Invalid value for the parameter Policy.', 'InvalidAttributeValue');
  }
}
