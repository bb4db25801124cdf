/**
 * What a bucket tells its queues, in the words of S3; delivered only if the queue's own policy lets
 * S3 in.
 */
import { randomUUID } from 'node:crypto';
import type { Authority } from '../iam/authority.ts';
import type { Json, JsonObject } from '../../template/assembly.ts';
import type { Queues } from '../sqs/queues.ts';
import type { RefusedDelivery } from '../wire/messages.ts';
import type { Bucket, QueueNotification } from './buckets.ts';
import type { LocalObjectVersion } from './object-store.ts';

/** Sends a bucket's notifications. */
export interface BucketNotifier {
  /** `name` without `s3:`, for instance `ObjectCreated:Put`. */
  notify(bucket: Bucket, name: string, version: LocalObjectVersion): void;
  /** The test event that S3 sends once to each queue when a bucket gets its configuration. */
  sendTestEvents(bucket: Bucket): void;
}

/** What the notifier needs. */
export interface BucketNotifierOptions {
  readonly queues: Queues;
  readonly authority: Authority;
  readonly region: string;
  readonly accountId: string;
  readonly now: () => number;
  readonly onDeliveryRefused: (refused: RefusedDelivery) => void;
}

/** Creates the notifier. */
export function createBucketNotifier(options: BucketNotifierOptions): BucketNotifier {
  const { queues, authority, accountId, now } = options;
  const deliver = (bucket: Bucket, queueArn: string, body: Json): void => {
    const decision = authority.authorize({
      caller: { kind: 'service', service: 's3.amazonaws.com' },
      action: 'sqs:SendMessage',
      resource: queueArn,
      context: { 'aws:SourceArn': bucket.arn, 'aws:SourceAccount': accountId },
    });
    const queue = queues.byArn(queueArn);
    const problem = decision.allowed ? 'there is no such queue' : decision.message;
    if (decision.allowed && queue !== undefined) queues.send(queue, { body: JSON.stringify(body) });
    else
      options.onDeliveryRefused({ from: 's3.amazonaws.com', source: bucket.arn, target: queueArn, message: problem });
  };

  return {
    notify(bucket, name, version) {
      for (const notification of bucket.notifications) {
        if (!isWanted(notification, name, version.key)) continue;
        deliver(bucket, notification.queueArn, {
          Records: [eventRecord({ bucket, name, version, notification, region: options.region, accountId })],
        });
      }
    },
    sendTestEvents(bucket) {
      for (const queueArn of new Set(bucket.notifications.map((notification) => notification.queueArn))) {
        deliver(bucket, queueArn, {
          Service: 'Amazon S3',
          Event: 's3:TestEvent',
          Time: new Date(now()).toISOString(),
          Bucket: bucket.name,
          RequestId: requestId(),
          HostId: randomUUID(),
        });
      }
    },
  };
}

function isWanted(notification: QueueNotification, name: string, key: string): boolean {
  const { event, prefix, suffix } = notification;
  const asked = event.replace(/^s3:/, '');
  const isEvent = asked === name || (asked.endsWith(':*') && name.startsWith(asked.slice(0, -1)));
  return isEvent && key.startsWith(prefix) && key.endsWith(suffix);
}

interface EventSubject {
  readonly bucket: Bucket;
  readonly name: string;
  readonly version: LocalObjectVersion;
  readonly notification: QueueNotification;
  readonly region: string;
  readonly accountId: string;
}

function eventRecord({ bucket, name, version, notification, region, accountId }: EventSubject): Json {
  const owner = { principalId: accountId };
  const isCreation = name.startsWith('ObjectCreated');
  const contents: JsonObject = isCreation ? { size: version.size } : {};
  const tag: JsonObject = isCreation || version.isDeleteMarker ? { eTag: version.etag } : {};
  const versionId: JsonObject = version.versionId === 'null' ? {} : { versionId: version.versionId };
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: region,
    eventTime: new Date(version.lastModified).toISOString(),
    eventName: name,
    userIdentity: { principalId: `AWS:${accountId}` },
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: { 'x-amz-request-id': requestId(), 'x-amz-id-2': randomUUID() },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: notification.id,
      bucket: { name: bucket.name, ownerIdentity: owner, arn: bucket.arn },
      object: {
        key: eventKey(version.key),
        ...contents,
        ...tag,
        ...versionId,
        sequencer: version.sequence.toString(16).toUpperCase().padStart(18, '0'),
      },
    },
  };
}

/** A key as events carry it: form-URL-encoded, a space as `+`, slashes as they are. */
function eventKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%20', '+')
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function requestId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase();
}
