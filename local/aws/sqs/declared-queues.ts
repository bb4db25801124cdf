/** The queues of the template. */
import type * as z from 'zod';
import { arnOf, type ResolvedAssembly } from '../../template/cloud-assembly.ts';
import { asText, type JsonObject } from '../../template/json.ts';
import { type queueRow, typedResources } from '../../template/resource-properties.ts';

/** A queue as it is declared. */
export interface LocalQueue {
  readonly name: string;
  readonly arn: string;
  readonly attributes: z.output<typeof queueRow>;
  /** Where messages go that were received too often. */
  readonly redrive?: { readonly queue: string; readonly maxReceiveCount: number };
}

/** The queues of the template, by name. */
export function readQueues(assembly: ResolvedAssembly): Map<string, LocalQueue> {
  const queues = typedResources(assembly, 'AWS::SQS::Queue');
  return new Map(
    queues.map((resource) => {
      const { name, typed, stackName, logicalId } = resource;
      const { QueueName: _, FifoQueue: __, RedrivePolicy: redrive, ...attributes } = typed;
      if (redrive === undefined) return [name, { name, arn: arnOf(resource), attributes }];
      const letters = queues.find(({ arn }) => arn === redrive.deadLetterTargetArn);
      if (letters === undefined)
        throw new Error(`${stackName}/${logicalId}: its RedrivePolicy names no queue of the template`);
      const { maxReceiveCount } = redrive;
      return [name, { name, arn: arnOf(resource), attributes, redrive: { queue: letters.name, maxReceiveCount } }];
    }),
  );
}

/** The attributes of a queue as texts, as GetQueueAttributes shows them. */
export function shownAttributes(
  { arn, attributes, redrive }: LocalQueue,
  arnOfQueue: (name: string) => string,
): JsonObject {
  const texts = Object.entries({ ...attributes, SqsManagedSseEnabled: true }).flatMap(([key, value]) => {
    const text = asText(value);
    return text === undefined ? [] : [[key, text] as const];
  });
  const RedrivePolicy = redrive && {
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: arnOfQueue(redrive.queue),
      maxReceiveCount: redrive.maxReceiveCount,
    }),
  };
  return { QueueArn: arn, ...Object.fromEntries(texts), ...RedrivePolicy };
}
