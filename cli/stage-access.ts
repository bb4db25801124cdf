import type { InvocationAnswer } from '../shared/aws/invoke-function.ts';
import type { ObjectUpload } from '../shared/aws/object-upload.ts';
import type { QueueDepth } from '../shared/aws/queue-depth.ts';
import type { Schedules } from '../shared/aws/schedules.ts';
import type { QueueName } from '../shared/ledger/items.ts';
import type { Ledger } from '../shared/ledger/ledger.ts';
import type { ListedVersion } from '../shared/aws/version-listing.ts';
import type { StageOutputs } from '../shared/vocabulary/stack-outputs.ts';

/** A stage as the commands reach it. Each door is opened when it is first used: a command loads the clients that it needs and no others. */
export interface StageAccess {
  readonly outputs: () => Promise<StageOutputs>;
  readonly ledger: () => Promise<Ledger>;
  readonly upload: (upload: ObjectUpload) => Promise<{ readonly versionId?: string }>;
  /** The last versions of a key of the stage's bucket, newest first. */
  readonly versions: (key: string) => Promise<readonly Pick<ListedVersion, 'versionId' | 'lastModified'>[]>;
  readonly send: (queue: QueueName, body: string) => Promise<void>;
  readonly depth: (queueUrl: string) => Promise<QueueDepth>;
  readonly schedules: () => Promise<Schedules>;
  readonly invoke: (functionArn: string, input: string) => Promise<InvocationAnswer>;
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
  const outputs = once(async () => {
    const [{ createCloudFormationClient }, { readStageOutputs }] = await Promise.all([
      import('../shared/aws/cloudformation-client.ts'),
      import('../shared/aws/stage-outputs.ts'),
    ]);
    return readStageOutputs(createCloudFormationClient(), stage);
  });
  const sqs = once(async () => (await import('../shared/aws/sqs-client.ts')).createSqsClient());
  const s3 = once(async () => (await import('../shared/aws/s3-client.ts')).createS3Client());

  return {
    outputs,
    ledger: once(() => openLedger(outputs)),
    schedules: once(() => openSchedules(outputs)),

    async upload(upload) {
      const { uploadObject } = await import('../shared/aws/object-upload.ts');
      return uploadObject(await s3(), upload);
    },

    async versions(key) {
      const { createObjectVersions } = await import('../shared/aws/version-listing.ts');
      const listing = createObjectVersions(await s3(), (await outputs()).BucketName);
      // Keys come in order: those of this very key are the first of the prefix.
      const { versions } = await listing.list({ prefix: key, limit: mostVersions });
      return versions.filter((version) => version.key === key);
    },

    async send(queue, body) {
      const { createQueue } = await import('../shared/aws/queue.ts');
      await createQueue(await sqs(), (await outputs())[queueOutputs[queue]]).send(body);
    },

    async depth(queueUrl) {
      const { readQueueDepth } = await import('../shared/aws/queue-depth.ts');
      return readQueueDepth(await sqs(), queueUrl);
    },

    async invoke(functionArn, input) {
      const [{ createLambdaClient }, { invokeFunction }] = await Promise.all([
        import('../shared/aws/lambda-client.ts'),
        import('../shared/aws/invoke-function.ts'),
      ]);
      return invokeFunction(createLambdaClient(), functionArn, input);
    },
  };
}

async function openLedger(outputs: () => Promise<StageOutputs>): Promise<Ledger> {
  const [{ createDynamoDbClient }, { createDynamoDbLedger }, { LedgerTableName }] = await Promise.all([
    import('../shared/aws/dynamodb-client.ts'),
    import('../shared/aws/dynamodb-ledger.ts'),
    outputs(),
  ]);
  return createDynamoDbLedger({ client: createDynamoDbClient(), tableName: LedgerTableName });
}

async function openSchedules(outputs: () => Promise<StageOutputs>): Promise<Schedules> {
  const [{ createSchedulerClient }, { createSchedules }, { ScheduleGroupName }] = await Promise.all([
    import('../shared/aws/scheduler-client.ts'),
    import('../shared/aws/schedules.ts'),
    outputs(),
  ]);
  return createSchedules(createSchedulerClient(), ScheduleGroupName);
}

/** Makes it the first time it is asked for, and the same one ever after. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
