import type { ClientSettings } from '#shared/aws/clients/client-settings.ts';
import type { DeployedMapping, InvocationAnswer } from '#shared/aws/lambda-function.ts';
import type { ObjectUpload } from '#shared/aws/object-store.ts';
import type { QueueDepth } from '#shared/aws/queue.ts';
import type { Schedules } from '#shared/aws/schedules.ts';
import type { StackResource } from '#shared/aws/stage-outputs.ts';
import type { TopicSubscription } from '#shared/aws/topic-subscriptions.ts';
import type { TokenVersions } from '#shared/aws/token/token-versions.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { StageLinks } from './stage-links.ts';
import { stackNames, type StageOutputs } from '#shared/vocabulary/stack-outputs.ts';

/** A stage as the commands reach it. Each door is opened when it is first used: a command loads the clients that it needs and no others. */
export interface StageAccess {
  readonly outputs: () => Promise<StageOutputs>;
  /** The outputs as they were last read; `undefined` if nothing asked for them. */
  readonly lastOutputs: () => StageOutputs | undefined;
  readonly ledger: () => Promise<AskedLedger>;
  readonly upload: (upload: ObjectUpload) => Promise<{ readonly versionId?: string }>;
  /** The last versions of a key of the stage's bucket, newest first. */
  readonly versions: (key: string) => Promise<readonly Pick<ListedVersion, 'versionId' | 'lastModified'>[]>;
  readonly send: (queue: QueueName, body: string) => Promise<void>;
  readonly depth: (queueUrl: string) => Promise<QueueDepth>;
  readonly schedules: () => Promise<Schedules>;
  /**
   * Invokes a function and waits for its answer.
   * @param functionName - or its ARN
   * @param signal - ends the waiting
   */
  readonly invoke: (functionName: string, input: string, signal?: AbortSignal) => Promise<InvocationAnswer>;
  /** What the workers' stack deployed. */
  readonly resources: () => Promise<readonly StackResource[]>;
  /** What feeds a function from a queue, by its UUID; `undefined` where it is not there any more. */
  readonly mapping: (uuid: string) => Promise<DeployedMapping | undefined>;
  /** Who is subscribed to the topic of the alarms. */
  readonly alarmSubscriptions: () => Promise<readonly TopicSubscription[]>;
  readonly tokenVersions: () => Promise<TokenVersions>;
  /** What `doctor --deep` looks at and makes. */
  readonly links: () => Promise<StageLinks>;
}

/** A person looks at no more versions of one key. */
const mostVersions = 50;

const queueOutputs = {
  commands: 'CommandsQueueUrl',
  uploads: 'UploadsQueueUrl',
  plans: 'PlansQueueUrl',
} as const satisfies Record<QueueName, keyof StageOutputs>;

/** A deployment may change the outputs of the stacks: a process that lives long sees it after this time. */
const outputsForMs = 5 * 60_000;

/**
 * A stage found by its stacks.
 * @param settings - where its clients call and as whom; what is not given comes from the environment of the process
 */
export function createStageAccess(stage: string, settings: ClientSettings): StageAccess {
  const clients = createClients(settings);
  let lastOutputs: StageOutputs | undefined;
  const outputs = kept(
    async () => {
      const { readStageOutputs } = await import('#shared/aws/stage-outputs.ts');
      return (lastOutputs = await readStageOutputs(await clients.cloudFormation(), stage));
    },
    { forMs: outputsForMs, elapsedMs: () => performance.now() },
  );
  return {
    outputs,
    lastOutputs: () => lastOutputs,
    ...dataAccess(clients, outputs),
    ...deploymentAccess(clients, { stage, outputs }),
    async links() {
      const { openStageLinks } = await import('./stage-links.ts');
      return openStageLinks(clients, await outputs());
    },
  };
}

/** The clients of one stage, each made when it is first used. */
export type Clients = ReturnType<typeof createClients>;
type Outputs = StageAccess['outputs'];

function createClients(settings: ClientSettings) {
  return {
    cloudFormation: kept(async () =>
      (await import('#shared/aws/clients/cloudformation-client.ts')).createCloudFormationClient(settings),
    ),
    dynamoDb: kept(async () => (await import('#shared/aws/clients/dynamodb-client.ts')).createDynamoDbClient(settings)),
    lambda: kept(async () => (await import('#shared/aws/clients/lambda-client.ts')).createLambdaClient(settings)),
    s3: kept(async () => (await import('#shared/aws/clients/s3-client.ts')).createS3Client(settings)),
    scheduler: kept(async () =>
      (await import('#shared/aws/clients/scheduler-client.ts')).createSchedulerClient(settings),
    ),
    secretsManager: kept(async () =>
      (await import('#shared/aws/clients/secrets-manager-client.ts')).createSecretsManagerClient(settings),
    ),
    sns: kept(async () => (await import('#shared/aws/clients/sns-client.ts')).createSnsClient(settings)),
    sqs: kept(async () => (await import('#shared/aws/clients/sqs-client.ts')).createSqsClient(settings)),
    eventBridge: kept(async () =>
      (await import('#shared/aws/clients/eventbridge-client.ts')).createEventBridgeClient(settings),
    ),
  };
}

/** What the stage holds: rows, objects, messages, the secret. */
function dataAccess(
  clients: Clients,
  outputs: Outputs,
): Pick<StageAccess, 'ledger' | 'upload' | 'versions' | 'send' | 'depth' | 'tokenVersions'> {
  return {
    async ledger() {
      const [{ createDynamoDbLedger }, client, { LedgerTableName: tableName }] = await Promise.all([
        import('#shared/aws/dynamodb-ledger.ts'),
        clients.dynamoDb(),
        outputs(),
      ]);
      return createDynamoDbLedger({ client, tableName });
    },

    async upload(upload) {
      const { uploadObject } = await import('#shared/aws/object-store.ts');
      return uploadObject(await clients.s3(), upload);
    },

    async versions(key) {
      const { createObjectVersions } = await import('#shared/aws/version-listing.ts');
      const listing = createObjectVersions(await clients.s3(), (await outputs()).BucketName);
      // Keys come in order: those of this very key are the first of the prefix.
      const { versions } = await listing.list({ prefix: key, limit: mostVersions });
      return versions.filter((version) => version.key === key);
    },

    async send(queue, body) {
      const { createQueue } = await import('#shared/aws/queue.ts');
      const client = await clients.sqs();
      await createQueue(() => client, (await outputs())[queueOutputs[queue]]).send(body);
    },

    async depth(queueUrl) {
      const { readQueueDepth } = await import('#shared/aws/queue.ts');
      return readQueueDepth(await clients.sqs(), queueUrl);
    },

    async tokenVersions() {
      const [{ createTokenVersions }, client, { TokenSecretArn }] = await Promise.all([
        import('#shared/aws/token/token-versions.ts'),
        clients.secretsManager(),
        outputs(),
      ]);
      return createTokenVersions(client, TokenSecretArn);
    },
  };
}

/** What was deployed: schedules, functions and what feeds them, the topic of the alarms. */
function deploymentAccess(
  clients: Clients,
  { stage, outputs }: { readonly stage: string; readonly outputs: Outputs },
): Pick<StageAccess, 'schedules' | 'invoke' | 'resources' | 'mapping' | 'alarmSubscriptions'> {
  return {
    async schedules() {
      const [{ createSchedules }, client, { ScheduleGroupName }] = await Promise.all([
        import('#shared/aws/schedules.ts'),
        clients.scheduler(),
        outputs(),
      ]);
      return createSchedules(client, ScheduleGroupName);
    },

    async invoke(functionName, input, signal) {
      const { invokeFunction } = await import('#shared/aws/lambda-function.ts');
      return invokeFunction({ functionName, input, signal }, await clients.lambda());
    },

    async resources() {
      const { listStackResources } = await import('#shared/aws/stage-outputs.ts');
      return listStackResources(await clients.cloudFormation(), stackNames(stage).workers);
    },

    async mapping(uuid) {
      const { findMapping } = await import('#shared/aws/lambda-function.ts');
      return findMapping(await clients.lambda(), uuid);
    },

    async alarmSubscriptions() {
      const [{ listSubscriptions }, client, { AlarmTopicArn }] = await Promise.all([
        import('#shared/aws/topic-subscriptions.ts'),
        clients.sns(),
        outputs(),
      ]);
      return listSubscriptions(client, AlarmTopicArn);
    },
  };
}

/** How long a value is kept; for ever if nothing is said. */
export interface Keeping {
  readonly forMs: number;
  /** Real milliseconds from an arbitrary start. */
  readonly elapsedMs: () => number;
}

/**
 * Makes a value when it is first asked for and keeps it. Callers at the same time share one making. A making that failed is forgotten: the
 * next call tries again, so that a process that lives long comes back when the stage does.
 * @param keeping - after this time the value is made again, at the next call
 */
export function kept<Value>(make: () => Promise<Value>, keeping?: Keeping): () => Promise<Value> {
  let held: { readonly value: Promise<Value>; readonly madeAtMs: number } | undefined;

  return () => {
    const nowMs = keeping?.elapsedMs() ?? 0;
    if (held !== undefined && nowMs - held.madeAtMs < (keeping?.forMs ?? Infinity)) return held.value;
    const made = { value: make(), madeAtMs: nowMs };
    held = made;
    made.value.catch(() => {
      if (held === made) held = undefined;
    });
    return made.value;
  };
}
