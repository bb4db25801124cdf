/** The buckets of the template: versioning and notifications as declared. */
import type { ResolvedAssembly } from '../../template/cloud-assembly.ts';
import { type TypedResource, typedResources } from '../../template/resource-properties.ts';
import { type AwsRequest, type AwsResponse, xmlResponse } from '../wire/aws-service.ts';
import { container, element, record, S3_XMLNS } from '../wire/xml.ts';

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
  readonly notifications: readonly QueueNotification[];
}

/** Reads every bucket, by name. */
export function readBuckets(assembly: ResolvedAssembly): Map<string, Bucket> {
  return new Map(typedResources(assembly, 'AWS::S3::Bucket').map((bucket) => [bucket.name, readBucket(bucket)]));
}

function readBucket({ name, arn = '', typed }: TypedResource<'AWS::S3::Bucket'>): Bucket {
  const queues = typed.NotificationConfiguration?.QueueConfigurations ?? [];
  const notifications = queues.map(({ Event: event, Queue: queueArn, Filter }, index) => {
    const rule = (kind: string): string =>
      Filter?.S3Key.Rules.find(({ Name }) => Name.toLowerCase() === kind)?.Value ?? '';
    return { id: `${name}-${index}`, queueArn, event, prefix: rule('prefix'), suffix: rule('suffix') };
  });
  return { name, arn, isVersioned: typed.VersioningConfiguration?.Status === 'Enabled', notifications };
}

/** Answers GetBucketNotificationConfiguration; `undefined` for any other request. */
export function bucketSettings(request: AwsRequest, bucket: Bucket): AwsResponse | undefined {
  if (!request.query.has('notification')) return undefined;
  // Service Authorization Reference, Amazon S3: the action has another name than the operation.
  request.require('s3:GetBucketNotification', bucket.arn);
  return xmlResponse(container('NotificationConfiguration', bucket.notifications.map(queueConfiguration), S3_XMLNS));
}

function queueConfiguration({ id, queueArn, event, prefix, suffix }: QueueNotification): string {
  const rules = Object.entries({ prefix, suffix })
    .filter(([, value]) => value !== '')
    .map(([Name, Value]) => record('FilterRule', { Name, Value }));
  const filter = rules.length === 0 ? '' : container('Filter', container('S3Key', rules));
  return container('QueueConfiguration', [
    element('Id', id),
    element('Queue', queueArn),
    element('Event', event),
    filter,
  ]);
}
