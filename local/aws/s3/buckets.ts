/** The buckets of the template: versioning and notifications as declared. */
import { resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../../template/assembly.ts';
import { asList, asObject, asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';

/** One notification: which events of which keys go to which queue. */
export interface QueueNotification {
  readonly id: string;
  readonly queueArn: string;
  /** For instance `s3:ObjectCreated:*`. */
  readonly event: string;
  readonly prefix: string;
  readonly suffix: string;
}

/** A bucket as declared. */
export interface Bucket {
  readonly name: string;
  readonly arn: string;
  readonly isVersioned: boolean;
  /** `Enabled` or `Suspended`; absent where it was never set. */
  readonly versioning: string | undefined;
  readonly notifications: readonly QueueNotification[];
}

/** Reads every bucket, by name. */
export function readBuckets(assembly: ResolvedAssembly): Map<string, Bucket> {
  return new Map(resourcesOfType(assembly, 'AWS::S3::Bucket').map((bucket) => [bucket.name, readBucket(bucket)]));
}

/** What the template asks of buckets and nobody does here. */
export function unsupportedOfBuckets(assembly: ResolvedAssembly): string[] {
  return resourcesOfType(assembly, 'AWS::S3::Bucket').flatMap((bucket) => {
    const notifications = asObject(bucket.properties['NotificationConfiguration']);
    return Object.keys(notifications)
      .filter((kind) => kind !== 'QueueConfigurations')
      .map((kind) => `AWS::S3::Bucket ${kind} (${bucket.stackName}/${bucket.logicalId})`);
  });
}

function readBucket({ name, arn, properties }: ResolvedResource): Bucket {
  const queues = asObject(properties['NotificationConfiguration'])['QueueConfigurations'];
  const versioning = asText(asObject(properties['VersioningConfiguration'])['Status']);
  return {
    name,
    arn: arn ?? '',
    isVersioned: versioning === 'Enabled',
    versioning,
    notifications: asList(queues).map((value, index) => readNotification(asObject(value), `${name}-${index}`)),
  };
}

function readNotification(configuration: JsonObject, id: string): QueueNotification {
  const rules = asList(asObject(asObject(configuration['Filter'])['S3Key'])['Rules']).map(asObject);
  const rule = (kind: string): string =>
    asText(rules.find((candidate) => asText(candidate['Name'])?.toLowerCase() === kind)?.['Value']) ?? '';
  return {
    id,
    queueArn: asText(configuration['Queue']) ?? '',
    event: asText(configuration['Event']) ?? '',
    prefix: rule('prefix'),
    suffix: rule('suffix'),
  };
}
