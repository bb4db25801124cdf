import { encodeObjectKey } from './object-key.ts';

/** An object version that was created, as a message about it says it. */
export interface CreatedVersion {
  readonly bucket: string;
  /** As it is, not encoded. */
  readonly key: string;
  readonly versionId: string;
  readonly etag: string;
  readonly sizeBytes: number;
  /** RFC 3339. */
  readonly eventTime: string;
}

/**
 * The message that S3 would have sent about an object version, for the same worker to read: `parseObjectEvents` gives it back. Its event
 * name, `ObjectCreated:Reconciled`, is one that S3 does not use: a kept message tells who sent it.
 */
export function objectCreatedMessage(version: CreatedVersion): string {
  const { bucket, key, versionId, etag, sizeBytes, eventTime } = version;
  const object = { key: encodeObjectKey(key), size: sizeBytes, eTag: etag, versionId };
  const s3 = { bucket: { name: bucket }, object };
  const record = { eventVersion: '2.1', eventSource: 'aws:s3', eventTime, eventName: 'ObjectCreated:Reconciled', s3 };
  return JSON.stringify({ Records: [record] });
}
