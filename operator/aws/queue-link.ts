import {
  DeleteObjectCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  paginateListQueues,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { createObjectVersions } from '#shared/aws/version-listing.ts';

/** A message that an observer took. */
export interface ObservedMessage {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * What an observer hears is of use for minutes: a queue that is left behind holds nothing for long.
 */
const retentionSeconds = '600';

/** The queues of an account and a region. */
export function createQueueLink(client: SQSClient) {
  return {
    /** ARN and access policy of a queue by its URL. */
    async describe(url: string) {
      const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn', 'Policy'] });
      const { Attributes = {} } = await client.send(asked);
      return { arn: Attributes['QueueArn'] ?? '', policy: Attributes['Policy'] };
    },
    /** Makes a queue with an access policy and answers its URL. */
    async make(name: string, policy: object) {
      const Attributes = {
        MessageRetentionPeriod: retentionSeconds,
        SqsManagedSseEnabled: 'true',
        Policy: JSON.stringify(policy),
      };
      const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
      return QueueUrl;
    },
    /** Takes what is there, at once. */
    async take(url: string) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
      );
      if (Messages.length > 0) {
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
      }
      return Messages.map(observed);
    },
    async remove(url: string) {
      await client.send(new DeleteQueueCommand({ QueueUrl: url }));
    },
    /** URLs of the queues whose names begin so. */
    async named(prefix: string) {
      const urls: string[] = [];
      for await (const page of paginateListQueues({ client }, { QueueNamePrefix: prefix }))
        urls.push(...(page.QueueUrls ?? []));
      return urls;
    },
  };
}

function observed({ Body = '', MessageAttributes = {} }: Message): ObservedMessage {
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { StringValue = '' }]) => [name, StringValue] as const,
  );
  return { body: Body, attributes: Object.fromEntries(attributes) };
}

/** The bucket of a stage by its name. */
export function createBucketLink(client: S3Client, bucket: string) {
  return {
    /** `undefined`: versioning was never set. */
    async versioning() {
      return (await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))).Status;
    },
    /** What it sends to which queue, for instance `s3:ObjectCreated:*`. */
    async notifications() {
      const answer = await client.send(new GetBucketNotificationConfigurationCommand({ Bucket: bucket }));
      return (answer.QueueConfigurations ?? []).map(({ QueueArn = '', Events = [], Filter }) => {
        // S3 writes the names of the rules as it likes: `prefix`, `Prefix`.
        const rule = Filter?.Key?.FilterRules?.find(({ Name }) => Name?.toLowerCase() === 'prefix');
        return { queueArn: QueueArn, events: Events, prefix: rule?.Value ?? '' };
      });
    },
    /** The versions below a prefix that were put before an instant; a thousand of them at most. */
    async oldVersions(prefix: string, before: Date) {
      const { versions } = await createObjectVersions(client, bucket).list({ prefix });
      return versions.filter(({ lastModified }) => lastModified < before);
    },
    /** Deletes one version for good; `null` is the version of a bucket that keeps none. */
    async removeVersion(key: string, versionId: string) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }));
    },
  };
}
