import type { DeployedMapping } from '#shared/aws/event-source-mapping.ts';
import type { InvocationAnswer } from '#shared/aws/invoke-function.ts';
import type { ObjectUpload } from '#shared/aws/object-upload.ts';
import type { QueueDepth } from '#shared/aws/queue-depth.ts';
import type { Schedules } from '#shared/aws/schedules.ts';
import type { StackResource } from '#shared/aws/stack-resources.ts';
import type { TopicSubscription } from '#shared/aws/topic-subscriptions.ts';
import type { TokenVersions } from '#shared/aws/token/token-versions.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import { type StageOutputs, stackNames } from '#shared/vocabulary/stack-outputs.ts';

/** A stage as the commands reach it. Each door is opened when it is first used: a command loads the clients that it needs and no others. */
export interface StageAccess {
  readonly outputs: () => Promise<StageOutputs>;
  readonly ledger: () => Promise<AskedLedger>;
  readonly upload: (upload: ObjectUpload) => Promise<{ readonly versionId?: string }>;
  /** The last versions of a key of the stage's bucket, newest first. */
  readonly versions: (key: string) => Promise<readonly Pick<ListedVersion, 'versionId' | 'lastModified'>[]>;
  readonly send: (queue: QueueName, body: string) => Promise<void>;
  readonly depth: (queueUrl: string) => Promise<QueueDepth>;
  readonly schedules: () => Promise<Schedules>;
  /** @param functionName - or its ARN */
  readonly invoke: (functionName: string, input: string) => Promise<InvocationAnswer>;
  /** What the workers' stack deployed. */
  readonly resources: () => Promise<readonly StackResource[]>;
  /** What feeds a function from a queue, by its UUID; `undefined` where it is not there any more. */
  readonly mapping: (uuid: string) => Promise<DeployedMapping | undefined>;
  /** Who is subscribed to the topic of the alarms. */
  readonly alarmSubscriptions: () => Promise<readonly TopicSubscription[]>;
  readonly tokenVersions: () => Promise<TokenVersions>;
}

/** More versions of one key nobody looks at. */
const mostVersions = 50;

const queueOutputs = {
  commands: 'CommandsQueueUrl',
  uploads: 'UploadsQueueUrl',
  plans: 'PlansQueueUrl',
} as const satisfies Record<QueueName, keyof StageOutputs>;

/** A stage found by its stacks; the clients take region, credentials and endpoint from the process's environment. */
export function createStageAccess(stage: string): StageAccess {
  const cloudFormation = once(async () =>
    (await import('#shared/aws/clients/cloudformation-client.ts')).createCloudFormationClient(),
  );
  const outputs = once(async () => {
    const { readStageOutputs } = await import('#shared/aws/stage-outputs.ts');
    return readStageOutputs(await cloudFormation(), stage);
  });
  const sqs = once(async () => (await import('#shared/aws/clients/sqs-client.ts')).createSqsClient());
  const lambda = once(async () => (await import('#shared/aws/clients/lambda-client.ts')).createLambdaClient());
  const s3 = once(async () => (await import('#shared/aws/clients/s3-client.ts')).createS3Client());

  return {
    outputs,
    ledger: once(() => openLedger(outputs)),
    tokenVersions: once(() => openTokenVersions(outputs)),
    schedules: once(() => openSchedules(outputs)),

    async upload(upload) {
      const { uploadObject } = await import('#shared/aws/object-upload.ts');
      return uploadObject(await s3(), upload);
    },

    async versions(key) {
      const { createObjectVersions } = await import('#shared/aws/version-listing.ts');
      const listing = createObjectVersions(await s3(), (await outputs()).BucketName);
      // Keys come in order: those of this very key are the first of the prefix.
      const { versions } = await listing.list({ prefix: key, limit: mostVersions });
      return versions.filter((version) => version.key === key);
    },

    async send(queue, body) {
      const { createQueue } = await import('#shared/aws/queue.ts');
      const client = await sqs();
      await createQueue(() => client, (await outputs())[queueOutputs[queue]]).send(body);
    },

    async depth(queueUrl) {
      const { readQueueDepth } = await import('#shared/aws/queue-depth.ts');
      return readQueueDepth(await sqs(), queueUrl);
    },

    async invoke(functionName, input) {
      const { invokeFunction } = await import('#shared/aws/invoke-function.ts');
      return invokeFunction(await lambda(), functionName, input);
    },

    async resources() {
      const { listStackResources } = await import('#shared/aws/stack-resources.ts');
      return listStackResources(await cloudFormation(), stackNames(stage).workers);
    },

    async alarmSubscriptions() {
      const [{ createSnsClient }, { listSubscriptions }, { AlarmTopicArn }] = await Promise.all([
        import('#shared/aws/clients/sns-client.ts'),
        import('#shared/aws/topic-subscriptions.ts'),
        outputs(),
      ]);
      return listSubscriptions(createSnsClient(), AlarmTopicArn);
    },

    async mapping(uuid) {
      const { findMapping } = await import('#shared/aws/event-source-mapping.ts');
      return findMapping(await lambda(), uuid);
    },
  };
}

async function openLedger(outputs: () => Promise<StageOutputs>): Promise<AskedLedger> {
  const [{ createDynamoDbClient }, { createDynamoDbLedger }, { LedgerTableName }] = await Promise.all([
    import('#shared/aws/clients/dynamodb-client.ts'),
    import('#shared/aws/dynamodb-ledger.ts'),
    outputs(),
  ]);
  return createDynamoDbLedger({ client: createDynamoDbClient(), tableName: LedgerTableName });
}

async function openSchedules(outputs: () => Promise<StageOutputs>): Promise<Schedules> {
  const [{ createSchedulerClient }, { createSchedules }, { ScheduleGroupName }] = await Promise.all([
    import('#shared/aws/clients/scheduler-client.ts'),
    import('#shared/aws/schedules.ts'),
    outputs(),
  ]);
  return createSchedules(createSchedulerClient(), ScheduleGroupName);
}

async function openTokenVersions(outputs: () => Promise<StageOutputs>): Promise<TokenVersions> {
  const [{ createSecretsManagerClient }, { createTokenVersions }, { TokenSecretArn }] = await Promise.all([
    import('#shared/aws/clients/secrets-manager-client.ts'),
    import('#shared/aws/token/token-versions.ts'),
    outputs(),
  ]);
  return createTokenVersions(createSecretsManagerClient(), TokenSecretArn);
}

/** Makes it the first time it is asked for, and the same one ever after. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
