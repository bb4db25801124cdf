/**
 * All queues of the template, with long polling: the door that the SQS protocol and the runner's
 * own deliveries share.
 */
import {
  arnOf,
  asNumber,
  asObject,
  asText,
  type Json,
  type JsonObject,
  parseJsonObject,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
  textsOf,
} from '../../template/assembly.ts';
import {
  type DeliveryDisorder,
  type NewMessage,
  openQueueStore,
  type MessageCounts,
  type QueueSettings,
  type QueueStore,
  type StoredMessage,
} from './queue-store.ts';

/** A receive, as SQS takes it. */
interface ReceiveOptions {
  readonly max: number;
  readonly visibilityMs: number;
  readonly waitMs: number;
  /** Aborted when the caller waits no longer: then no message is taken. */
  readonly gone: AbortSignal;
}

/** The queues, ready for use. */
export interface Queues {
  readonly store: QueueStore;
  byName(name: string): LocalQueue | undefined;
  byArn(arn: string): LocalQueue | undefined;
  all(): readonly LocalQueue[];
  /** Adds a queue that a caller made. */
  add(queue: LocalQueue): void;
  /** Takes a queue away with its messages. */
  remove(queueName: string): void;
  send(queue: LocalQueue, message: NewMessage): string;
  receive(queue: LocalQueue, options: ReceiveOptions): Promise<StoredMessage[]>;
  /**
   * Ends every wait for a message at once: a receiver that waits now gets what there is, or
   * nothing.
   */
  endWaits(): void;
  /** Lets waiting receivers look again, after messages appeared by other ways than `send`. */
  wake(queueName: string): void;
  /** Of the queues of the template: no function works off those that callers made. */
  depths(): Record<string, MessageCounts>;
  /** Milliseconds until the next hidden message shows, if there is one. */
  nextVisibleInMs(): number | undefined;
  close(): void;
}

/** The longest a waiting receiver sleeps between looks: the clock may be moved under it. */
const LONGEST_NAP_MS = 500;

/** Opens the queues kept in `dataDir`. */
export function openQueues(
  queues: Map<string, LocalQueue>,
  dataDir: string,
  now: () => number,
  disorder?: DeliveryDisorder,
): Queues {
  const store = openQueueStore(dataDir, now, disorder);
  const waiting = new Map<string, Set<() => void>>();
  const closed = new AbortController();
  let endedWaits = 0;
  const made = new Set<string>();
  const declared = (): string[] => [...queues.keys()].filter((name) => !made.has(name));

  const wake = (queueName: string): void => {
    for (const wakeUp of waiting.get(queueName) ?? []) wakeUp();
  };
  const nap = (queueName: string, ms: number, gone: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleepers = waiting.get(queueName) ?? new Set();
      waiting.set(queueName, sleepers);
      const wakeUp = (): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', wakeUp);
        sleepers.delete(wakeUp);
        resolve();
      };
      const timer = setTimeout(wakeUp, ms);
      gone.addEventListener('abort', wakeUp);
      sleepers.add(wakeUp);
    });

  return {
    store,
    wake,
    byName: (name) => queues.get(name),
    byArn: (arn) => [...queues.values()].find((queue) => queue.arn === arn),
    all: () => [...queues.values()],
    add(queue) {
      made.add(queue.name);
      queues.set(queue.name, queue);
    },
    remove(queueName) {
      made.delete(queueName);
      queues.delete(queueName);
      store.purge(queueName);
      wake(queueName);
    },
    send(queue, message) {
      const id = store.send(queue, message);
      wake(queue.name);
      return id;
    },
    async receive(queue, { max, visibilityMs, waitMs, gone }) {
      // Waiting is wall time even when the emulated clock has been moved.
      const deadline = performance.now() + waitMs;
      const endedBefore = endedWaits;
      while (!gone.aborted && !closed.signal.aborted) {
        const messages = store.receive(queue, max, visibilityMs);
        const left = deadline - performance.now();
        if (messages.length > 0 || left <= 0 || endedWaits > endedBefore) return messages;
        await nap(queue.name, Math.min(left, LONGEST_NAP_MS, store.nextVisibleInMs(queue.name) ?? left) + 1, gone);
      }
      return [];
    },
    endWaits() {
      endedWaits += 1;
      for (const name of waiting.keys()) wake(name);
    },
    depths: () => Object.fromEntries(declared().map((name) => [name, store.depth(name)])),
    nextVisibleInMs() {
      const waits = declared().map((name) => store.nextVisibleInMs(name));
      const known = waits.filter((wait) => wait !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    close() {
      closed.abort();
      for (const name of waiting.keys()) wake(name);
      store.close();
    },
  };
}

// The queues of the template, with their declared behaviour.

/** A queue with its address and the attributes that `GetQueueAttributes` shows. */
export interface LocalQueue extends QueueSettings {
  readonly arn: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** AWS's defaults: visibility 30 seconds, retention four days, 1 MB for a message since 2025. */
const DEFAULTS = {
  VisibilityTimeout: 30,
  DelaySeconds: 0,
  MessageRetentionPeriod: 345_600,
  ReceiveMessageWaitTimeSeconds: 0,
  MaximumMessageSize: 1_048_576,
};

/** Reads every standard queue, by name. FIFO queues are not emulated and refused here. */
export function readQueues(assembly: ResolvedAssembly): Map<string, LocalQueue> {
  const queues = resourcesOfType(assembly, 'AWS::SQS::Queue');
  const nameByArn = new Map(queues.map((queue) => [arnOf(queue), queue.name]));
  const policies = policiesOf(assembly);
  return new Map(queues.map((queue) => [queue.name, readQueue(queue, nameByArn, policies.get(queue.physicalId))]));
}

/**
 * The policy of each queue, by its URL. CloudFormation puts the whole of a QueuePolicy on a queue,
 * so the last one stands.
 */
function policiesOf(assembly: ResolvedAssembly): ReadonlyMap<string, string> {
  return new Map(
    resourcesOfType(assembly, 'AWS::SQS::QueuePolicy').flatMap(({ properties }) =>
      textsOf(properties['Queues']).map((url) => [url, JSON.stringify(properties['PolicyDocument'])] as const),
    ),
  );
}

function readQueue(
  resource: ResolvedResource,
  nameByArn: ReadonlyMap<string, string>,
  policy: string | undefined,
): LocalQueue {
  const { properties, name } = resource;
  const where = `${resource.stackName}/${resource.logicalId}`;
  if (asText(properties['FifoQueue']) === 'true') throw new Error(`${where}: FIFO queues are not emulated locally`);
  const redrive = readRedrive(properties['RedrivePolicy'], nameByArn, where);
  const queue = readQueueProperties({
    name,
    arn: arnOf(resource),
    properties: policy === undefined ? properties : { ...properties, Policy: policy },
  });
  if (redrive === undefined) return queue;
  const RedrivePolicy = JSON.stringify(redrivePolicy(properties['RedrivePolicy']));
  return { ...queue, redrive, attributes: { ...queue.attributes, RedrivePolicy } };
}

/** A queue by its own properties, which templates and CreateQueue name alike. */
export function readQueueProperties({
  name,
  arn,
  properties,
}: {
  readonly name: string;
  readonly arn: string;
  readonly properties: JsonObject;
}): LocalQueue {
  const number = (key: keyof typeof DEFAULTS): number => asNumber(properties[key]) ?? DEFAULTS[key];
  const attributes: Record<string, string> = { QueueArn: arn };
  for (const key of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) attributes[key] = String(number(key));
  const policy = asText(properties['Policy']) ?? '';
  if (policy !== '') attributes['Policy'] = policy;
  return {
    name,
    arn,
    visibilityTimeoutMs: number('VisibilityTimeout') * 1000,
    delayMs: number('DelaySeconds') * 1000,
    retentionMs: number('MessageRetentionPeriod') * 1000,
    maxMessageBytes: number('MaximumMessageSize'),
    receiveWaitMs: number('ReceiveMessageWaitTimeSeconds') * 1000,
    attributes,
  };
}

function redrivePolicy(value: Json | undefined): JsonObject {
  return typeof value === 'string' ? parseJsonObject(value, 'RedrivePolicy') : asObject(value);
}

function readRedrive(
  value: Json | undefined,
  nameByArn: ReadonlyMap<string, string>,
  where: string,
): QueueSettings['redrive'] {
  if (value === undefined) return undefined;
  const policy = redrivePolicy(value);
  const queue = nameByArn.get(asText(policy['deadLetterTargetArn']) ?? '');
  const maxReceiveCount = asNumber(policy['maxReceiveCount']);
  if (queue === undefined || maxReceiveCount === undefined)
    throw new Error(`${where}: its RedrivePolicy names no queue of the template, or no maxReceiveCount`);
  return { queue, maxReceiveCount };
}
