/**
 * What a bucket tells its queues, in the words of S3; delivered only if the queue's own policy lets
 * S3 in.
 */
import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../template/json.ts';
import { type AwsStage, deliver } from '../services/aws-stage.ts';
import type { Bucket, QueueNotification } from './buckets.ts';
import type { LocalObjectVersion } from './object-store.ts';

/**
 * Tells the bucket's queues of an event: `name` without `s3:`, for instance `ObjectCreated:Put`.
 */
export function notifyQueues(stage: AwsStage, bucket: Bucket, name: string, version: LocalObjectVersion): void {
  for (const notification of bucket.notifications) {
    if (isWanted(notification, name, version.key))
      send(stage, bucket, notification.queueArn, {
        Records: [eventRecord({ bucket, name, version, notification }, stage)],
      });
  }
}

/** The test event that S3 sends once to each queue when a bucket gets its configuration. */
export function sendTestEvents(stage: AwsStage, bucket: Bucket): void {
  for (const queueArn of new Set(bucket.notifications.map((notification) => notification.queueArn)))
    send(stage, bucket, queueArn, {
      Service: 'Amazon S3',
      Event: 's3:TestEvent',
      Time: new Date(stage.now()).toISOString(),
      Bucket: bucket.name,
      RequestId: requestId(),
      HostId: randomUUID(),
    });
}

function send(stage: AwsStage, { arn: source }: Bucket, target: string, body: JsonObject): void {
  const context = { 'aws:SourceArn': source, 'aws:SourceAccount': stage.assembly.accountId };
  deliver(stage, { from: 's3.amazonaws.com', source, target, context }, () =>
    stage.sendToQueue(target, JSON.stringify(body)),
  );
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
}

function eventRecord({ bucket, name, version, notification }: EventSubject, { assembly }: AwsStage): Json {
  const { region, accountId } = assembly;
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
