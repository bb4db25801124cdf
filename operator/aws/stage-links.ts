import { DeleteObjectCommand, GetBucketNotificationConfigurationCommand, type S3Client } from '@aws-sdk/client-s3';
import { CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';

/** What `doctor --deep` asks of AWS beside every other command: the policy `LinkTester` is for this. */
export type StageLinks = ReturnType<typeof createStageLinks>;

interface LinkClients {
  readonly s3: S3Client;
  readonly scheduler: SchedulerClient;
  readonly sqs: SQSClient;
}

/** The links of a stage by its outputs. */
export function createStageLinks({ s3, scheduler, sqs }: LinkClients, outputs: StageOutputs) {
  const { BucketName: Bucket, ScheduleGroupName: GroupName } = outputs;
  return {
    async queueArn(QueueUrl: string) {
      const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
      return (await sqs.send(asked)).Attributes?.['QueueArn'] ?? '';
    },
    /** What the bucket sends to which queue, for instance `s3:ObjectCreated:*`. */
    async notifications() {
      const answer = await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket }));
      return (answer.QueueConfigurations ?? []).map(({ QueueArn = '', Events = [], Filter }) => {
        // S3 writes the names of the rules as it likes: `prefix`, `Prefix`.
        const rule = Filter?.Key?.FilterRules?.find(({ Name }) => Name?.toLowerCase() === 'prefix');
        return { queueArn: QueueArn, events: Events, prefix: rule?.Value ?? '' };
      });
    },
    /** Deletes one version for good; `null` is the version of a bucket that keeps none. */
    async removeVersion(Key: string, VersionId: string) {
      await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
    },
    /** Makes a schedule that sends once to a queue and then goes. Scheduler fires within the minute after `at`. */
    async sendOnce({ name, at, queueArn, input }: OnceSending) {
      await scheduler.send(
        new CreateScheduleCommand({
          Name: name,
          GroupName,
          ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
          ScheduleExpressionTimezone: 'UTC',
          FlexibleTimeWindow: { Mode: 'OFF' },
          ActionAfterCompletion: 'DELETE',
          Target: {
            Arn: queueArn,
            RoleArn: outputs.LinkTestsRoleArn,
            Input: input,
            RetryPolicy: { MaximumEventAgeInSeconds: 60 }, // the least: a mark that comes later tests nothing
          },
        }),
      );
    },
  };
}

interface OnceSending {
  readonly name: string;
  /** Rounded down to whole seconds. */
  readonly at: Date;
  readonly queueArn: string;
  readonly input: string;
}
