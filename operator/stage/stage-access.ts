import type { ClientSettings } from '#shared/aws/client-settings.ts';
import type { DeployedMapping, InvocationAnswer } from '../aws/lambda-function.ts';
import type { ObjectUpload } from '#shared/aws/object-store.ts';
import type { QueueDepth } from '#shared/aws/queue.ts';
import type { Schedules } from '#shared/aws/schedules.ts';
import type { StackResource } from '#shared/aws/stage-outputs.ts';
import type { StageLinks } from '../aws/stage-links.ts';
import type { TopOfBucket } from '../aws/top-of-bucket.ts';
import type { TopicSubscription } from '../aws/topic-subscriptions.ts';
import type { TokenVersions } from '../aws/token-versions.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import type { ListedVersion, ObjectVersions } from '#shared/aws/version-listing.ts';
import { type Clients, createClients, kept, limited, limitedClients } from './stage-clients.ts';
import { modeOf, stackNames, type StageOutputs } from '#shared/vocabulary/stack-outputs.ts';

/** A stage as the commands reach it. Each door is opened when it is first used: a command loads the clients that it needs and no others. */
export interface StageAccess {
  readonly outputs: () => Promise<StageOutputs>;
  /** The outputs as they were last read; `undefined` if nothing asked for them. */
  readonly lastOutputs: () => StageOutputs | undefined;
  /** That of the stage's mode. */
  readonly ledger: () => Promise<AskedLedger>;
  /** What was done for real, in either mode. */
  readonly acting: () => Promise<AskedLedger>;
  readonly upload: (upload: ObjectUpload) => Promise<{ readonly versionId?: string }>;
  /** The last versions of a key of the stage's bucket, newest first. */
  readonly versions: (key: string) => Promise<readonly KeyVersion[]>;
  /** Versions of the stage's bucket below a prefix, a page at a time. */
  readonly listVersions: ObjectVersions['list'];
  /** What lies at the top of the stage's bucket. */
  readonly topOfBucket: () => Promise<TopOfBucket>;
  readonly send: (queue: QueueName, body: string) => Promise<void>;
  readonly depth: (queueUrl: string) => Promise<QueueDepth>;
  readonly schedules: () => Promise<Schedules>;
  /**
   * Invokes a function, by its name or ARN, and waits for its answer; the signal ends the waiting.
   */
  readonly invoke: (functionName: string, input: string, signal?: AbortSignal) => Promise<InvocationAnswer>;
  /** What the workers' stack deployed. */
  readonly resources: () => Promise<readonly StackResource[]>;
  /** What feeds a function from a queue, by its UUID; `undefined` if it no longer exists. */
  readonly mapping: (uuid: string) => Promise<DeployedMapping | undefined>;
  /** Who is subscribed to the topic of the alarms. */
  readonly alarmSubscriptions: () => Promise<readonly TopicSubscription[]>;
  readonly tokenVersions: () => Promise<TokenVersions>;
  /** What `doctor --deep` looks at and makes. */
  readonly links: () => Promise<StageLinks>;
  /**
   * How far the clock of AWS is ahead of this machine's, if they differ by more than five minutes; else 0. The SDK corrects its signatures by it.
   */
  readonly clockOffsetMs: () => Promise<number>;
  /** The same stage for a caller who may leave: what it asked for ends when the signal aborts. */
  readonly until: (signal: AbortSignal) => StageAccess;
}

type KeyVersion = Pick<ListedVersion, 'versionId' | 'lastModified'> & Partial<Pick<ListedVersion, 'sizeBytes'>>;

/** A person looks at no more versions of one key. */
const mostVersions = 50;

const queueOutputs = {
  commands: 'CommandsQueueUrl',
  uploads: 'UploadsQueueUrl',
} as const satisfies Record<QueueName, keyof StageOutputs>;

/** A deployment may change the outputs of the stacks: a process that lives long sees it after this time. */
const outputsForMs = 5 * 60_000;

/** A read of one page or row takes milliseconds; a person does not wait longer for a stage that is not there. */
const longestRequestMs = 30_000;

/** How a process works with a stage. */
export interface AccessOptions {
  /** The most that a request takes with its repeats, but for an upload and an invocation. @default 30 seconds */
  readonly requestMs?: number;
}

/**
 * A stage found by its stacks.
 * @param settings - the address that its clients call, and their identity; what is not given comes
 *   from the environment of the process
 */
export function createStageAccess(
  stage: string,
  settings: ClientSettings,
  { requestMs = longestRequestMs }: AccessOptions = {},
): StageAccess {
  const clients = createClients(settings);
  let lastOutputs: StageOutputs | undefined;
  // Callers share the outputs, so none of them ends the reading for the others.
  const outputs = kept(
    async () => {
      const { readStageOutputs } = await import('#shared/aws/stage-outputs.ts');
      return (lastOutputs = await readStageOutputs(
        limited(await clients.cloudFormation(), { forMs: requestMs }),
        stage,
      ));
    },
    { forMs: outputsForMs, elapsedMs: () => performance.now() },
  );
  const accessUntil = (signal?: AbortSignal): StageAccess => {
    const timed = limitedClients(clients, { forMs: requestMs, signal });
    return {
      outputs,
      lastOutputs: () => lastOutputs,
      async clockOffsetMs() {
        await outputs();
        return (await clients.cloudFormation()).config.systemClockOffset;
      },
      ...dataAccess(timed, outputs),
      ...deploymentAccess(timed, stage, outputs),
      ...longAccess(clients, signal),
      async links() {
        const { createStageLinks } = await import('../aws/stage-links.ts');
        const [s3, scheduler, sqs] = await Promise.all([timed.s3(), timed.scheduler(), timed.sqs()]);
        return createStageLinks({ s3, scheduler, sqs }, await outputs());
      },
      until: accessUntil,
    };
  };
  return accessUntil();
}

type Outputs = StageAccess['outputs'];

function longAccess(clients: Clients, signal?: AbortSignal) {
  return {
    async upload(upload: ObjectUpload) {
      const { uploadObject } = await import('#shared/aws/object-store.ts');
      return uploadObject(limited(await clients.s3(), { signal }), upload);
    },

    async invoke(functionName: string, input: string, ends = signal) {
      const { invokeFunction } = await import('../aws/lambda-function.ts');
      return invokeFunction(limited(await clients.lambda(), { signal: ends }), functionName, input);
    },
  };
}

function ledgerAccess(clients: Clients, outputs: Outputs) {
  const tableOf = async (output: 'LedgerTableName' | 'ObservedLedgerTableName') => {
    const [{ createDynamoDbLedger }, client, { [output]: tableName }] = await Promise.all([
      import('#shared/aws/dynamodb-ledger.ts'),
      clients.dynamoDb(),
      outputs(),
    ]);
    return createDynamoDbLedger({ client, tableName });
  };
  const acting = async () => tableOf('LedgerTableName');
  return {
    acting,

    async ledger() {
      if (modeOf(await outputs()) === 'act') return acting();
      return createObservedLedger(await tableOf('ObservedLedgerTableName'), await acting());
    },
  };
}

function dataAccess(clients: Clients, outputs: Outputs) {
  const listVersions: ObjectVersions['list'] = async (page) => {
    const { createObjectVersions } = await import('#shared/aws/version-listing.ts');
    return createObjectVersions(await clients.s3(), (await outputs()).BucketName).list(page);
  };
  return {
    ...ledgerAccess(clients, outputs),

    async versions(key: string) {
      // Keys come in order: those of this very key are the first of the prefix.
      const { versions } = await listVersions({ prefix: key, limit: mostVersions });
      return versions.filter((version) => version.key === key);
    },

    listVersions,

    async topOfBucket() {
      const { readTopOfBucket } = await import('../aws/top-of-bucket.ts');
      return readTopOfBucket(await clients.s3(), (await outputs()).BucketName);
    },

    async send(queue: QueueName, body: string) {
      const { createQueue } = await import('#shared/aws/queue.ts');
      const client = await clients.sqs();
      await createQueue(() => client, (await outputs())[queueOutputs[queue]]).send(body);
    },

    async depth(queueUrl: string) {
      const { readQueueDepth } = await import('#shared/aws/queue.ts');
      return readQueueDepth(await clients.sqs(), queueUrl);
    },

    async tokenVersions() {
      const { createTokenVersions } = await import('../aws/token-versions.ts');
      return createTokenVersions(await clients.secretsManager(), (await outputs()).TokenSecretArn);
    },
  };
}

function deploymentAccess(clients: Clients, stage: string, outputs: Outputs) {
  return {
    async schedules() {
      const [{ createSchedules }, client, { ScheduleGroupName }] = await Promise.all([
        import('#shared/aws/schedules.ts'),
        clients.scheduler(),
        outputs(),
      ]);
      return createSchedules(client, ScheduleGroupName);
    },

    async resources() {
      const { listStackResources } = await import('#shared/aws/stage-outputs.ts');
      return listStackResources(await clients.cloudFormation(), stackNames(stage).workers);
    },

    async mapping(uuid: string) {
      const { findMapping } = await import('../aws/lambda-function.ts');
      return findMapping(await clients.lambda(), uuid);
    },

    async alarmSubscriptions() {
      const { listSubscriptions } = await import('../aws/topic-subscriptions.ts');
      return listSubscriptions(await clients.sns(), (await outputs()).AlarmTopicArn);
    },
  };
}
