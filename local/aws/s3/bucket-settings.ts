/** What a bucket says of itself: its versioning and its notifications, in the words of the S3 API. */
import { xmlResponse } from '../wire/messages.ts';
import type { AwsRequest, AwsResponse } from '../wire/messages.ts';
import { container, element } from '../wire/xml.ts';
import type { Bucket, QueueNotification } from './buckets.ts';
import { S3_XMLNS } from './s3-request.ts';

/** Answers GetBucketVersioning and GetBucketNotificationConfiguration; `undefined` for any other request. */
export function bucketSettings(request: AwsRequest, bucket: Bucket): AwsResponse | undefined {
  const { query } = request;
  if (request.method !== 'GET') return undefined;
  if (query.has('versioning')) {
    request.require('s3:GetBucketVersioning', bucket.arn);
    return xmlResponse(container('VersioningConfiguration', element('Status', bucket.versioning), S3_XMLNS));
  }
  if (query.has('notification')) {
    // Service Authorization Reference, Amazon S3: the action has another name than the operation.
    request.require('s3:GetBucketNotification', bucket.arn);
    return xmlResponse(container('NotificationConfiguration', bucket.notifications.map(queueConfiguration), S3_XMLNS));
  }
  return undefined;
}

function queueConfiguration({ id, queueArn, event, prefix, suffix }: QueueNotification): string {
  const rules = Object.entries({ prefix, suffix })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => container('FilterRule', [element('Name', name), element('Value', value)]));
  const filter = rules.length === 0 ? '' : container('Filter', container('S3Key', rules));
  return container('QueueConfiguration', [
    element('Id', id),
    element('Queue', queueArn),
    element('Event', event),
    filter,
  ]);
}
