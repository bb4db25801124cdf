/** The queues of the template, with their declared behaviour. */
import { arnOf, resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../../template/assembly.ts';
import { asNumber, asObject, asText, parseJsonObject, textsOf } from '../../template/json.ts';
import type { Json, JsonObject } from '../../template/json.ts';
import type { QueueSettings } from './queue-store.ts';

/** A queue with its address and the attributes that `GetQueueAttributes` shows. */
export interface Queue extends QueueSettings {
  readonly arn: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** AWS's defaults, in seconds: visibility 30, retention four days. */
const DEFAULTS = {
  VisibilityTimeout: 30,
  DelaySeconds: 0,
  MessageRetentionPeriod: 345_600,
  ReceiveMessageWaitTimeSeconds: 0,
};

/** Reads every standard queue, by name. FIFO queues are not emulated and refused here. */
export function readQueues(assembly: ResolvedAssembly): Map<string, Queue> {
  const queues = resourcesOfType(assembly, 'AWS::SQS::Queue');
  const nameByArn = new Map(queues.map((queue) => [arnOf(queue), queue.name]));
  const policies = policiesOf(assembly);
  return new Map(queues.map((queue) => [queue.name, readQueue(queue, nameByArn, policies.get(queue.physicalId))]));
}

/** The policy of each queue, by its URL. CloudFormation puts the whole of a QueuePolicy on a queue, so the last one stands. */
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
): Queue {
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
}): Queue {
  const seconds = (key: keyof typeof DEFAULTS): number => asNumber(properties[key]) ?? DEFAULTS[key];
  const attributes: Record<string, string> = { QueueArn: arn };
  for (const key of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) attributes[key] = String(seconds(key));
  const policy = asText(properties['Policy']) ?? '';
  if (policy !== '') attributes['Policy'] = policy;
  return {
    name,
    arn,
    visibilityTimeoutMs: seconds('VisibilityTimeout') * 1000,
    delayMs: seconds('DelaySeconds') * 1000,
    retentionMs: seconds('MessageRetentionPeriod') * 1000,
    receiveWaitMs: seconds('ReceiveMessageWaitTimeSeconds') * 1000,
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
