import {
  DeleteObjectCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

import { createObjectVersions, type ListedVersion } from '../version-listing.ts';

/** What a bucket sends to a queue. */
export interface BucketNotification {
  readonly queueArn: string;
  /** For instance `s3:ObjectCreated:*`. */
  readonly events: readonly string[];
  readonly prefix: string;
}

/** A bucket as the links of a stage see it. */
export interface BucketLink {
  /** `undefined`: versioning was never set. */
  readonly versioning: () => Promise<'Enabled' | 'Suspended' | undefined>;
  readonly notifications: () => Promise<readonly BucketNotification[]>;
  /** The versions below a prefix that were put before an instant; a thousand of them at most. */
  readonly oldVersions: (prefix: string, before: Date) => Promise<readonly ListedVersion[]>;
  /** Deletes one version for good; `null` is the version of a bucket that keeps none. */
  readonly removeVersion: (key: string, versionId: string) => Promise<void>;
}

/** The bucket of a stage by its name. */
export function createBucketLink(client: S3Client, bucket: string): BucketLink {
  return {
    async versioning() {
      return (await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))).Status;
    },
    async notifications() {
      const answer = await client.send(new GetBucketNotificationConfigurationCommand({ Bucket: bucket }));
      return (answer.QueueConfigurations ?? []).map(({ QueueArn = '', Events = [], Filter }) => {
        // S3 writes the names of the rules as it likes: `prefix`, `Prefix`.
        const rule = Filter?.Key?.FilterRules?.find(({ Name }) => Name?.toLowerCase() === 'prefix');
        return { queueArn: QueueArn, events: Events, prefix: rule?.Value ?? '' };
      });
    },
    async oldVersions(prefix, before) {
      const { versions } = await createObjectVersions(client, bucket).list({ prefix });
      return versions.filter(({ lastModified }) => lastModified < before);
    },
    async removeVersion(key, versionId) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }));
    },
  };
}
