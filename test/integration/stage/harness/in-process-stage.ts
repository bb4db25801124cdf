import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import type { InvocationResult } from '#local/aws/services/lambda-service.ts';
import { type MovableClock, openMovableClock } from '#local/clock/movable-clock.ts';
import { announceRunning } from '#local/stage/data-folder.ts';
import { freePort } from '#local/stage/local-gateway.ts';
import { type RunningStage, runStage, type StageRun } from '#local/stage/run-stage.ts';
import { synthesize } from '#local/stage/synthesize.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { type HistoryEntry, toHistoryEntry } from '#operator/history/history-entry.ts';
import { readHistory } from '#operator/history/history.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { modeOf, type StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { keyFileName, textOfKey } from '#shared/net/loopback.ts';
import { deployedFunctionName, type FunctionName } from '#shared/vocabulary/resource-names.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { type ChangeResource, changeTemplates } from './change-templates.ts';
import { type CommandResult, controlOf, runAutopilot, temporaryFolder, until } from './stage-process.ts';
import { type TestedAutomation, writeAutomation } from './write-automation.ts';

/**
 * A stage in this process (its functions in their own), beside a gateway of its own that goes by
 * its clock: for tests that reach into it.
 */
export interface InProcessStage {
  readonly stage: RunningStage;
  readonly gateway: RunningGateway;
  readonly aws: AwsCaller;
  readonly clock: MovableClock;
  readonly dataDir: string;
  /** Runs the operator's command against it. */
  readonly autopilot: (...args: readonly string[]) => Promise<CommandResult>;
  /** The same with something piped into it. */
  readonly autopilotReading: (input: string, ...args: readonly string[]) => Promise<CommandResult>;
  /** A page of the gateway's control surface. */
  readonly control: ReturnType<typeof controlOf>;
  /** Calls one of its functions, as Scheduler or a person does. */
  readonly invoke: (name: FunctionName, event: object) => Promise<InvocationResult>;
  readonly close: () => Promise<void>;
}

/** Synthesizes a configuration and runs it at free ports, in a folder that goes with it. */
export async function openInProcessStage({
  stageName = 'local',
  automation,
  configIn = automation === undefined
    ? () => join(process.cwd(), 'automation.config.ts')
    : (path) => writeAutomation(path, automation),
  ...options
}: {
  /** @default 'local' */
  readonly stageName?: 'local' | 'chaos';
  /** @default the project's own */
  readonly automation?: TestedAutomation;
  /** Writes a configuration of another form into the folder and gives its path. */
  readonly configIn?: (folder: string) => string;
  /** An assembly that was synthesized before; the stage runs a copy. */
  readonly assemblyDir?: string;
  /** Puts something before the gateway, or in its place, and gives the address that the functions know. @default the gateway's own */
  readonly addressOf?: (gatewayUrl: string) => Promise<string>;
  /** The state of an earlier stage, which outlives this one too. @default a folder that goes with it */
  readonly dataDir?: string | undefined;
  readonly authorityFor?: StageRun['authorityFor'];
  readonly onLine?: (line: string) => void;
  /** Changes what was synthesized before it runs: what a hand does to a deployed stage. */
  readonly change?: ChangeResource;
  /**
   * The stage runs as it is after its deployment, before a person has put the token in. @default
   * false
   */
  readonly isWithoutToken?: boolean;
  /** A program that stands for every webhook. @default none is called */
  readonly webhooksUrl?: string;
} = {}): Promise<InProcessStage> {
  const folder = options.dataDir === undefined ? temporaryFolder() : { path: options.dataDir, remove: () => {} };
  const dataDir = folder.path;
  const clockFile = join(dataDir, 'clock.json');
  const clock = openMovableClock(clockFile);
  const now = () => new Date(clock.now());
  const gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['token'], now });
  const gatewayBaseUrl = (await options.addressOf?.(gateway.url)) ?? gateway.url;
  const assemblyDir = join(dataDir, 'cdk.out');
  if (options.assemblyDir === undefined)
    await synthesize({ configPath: configIn(dataDir), stage: stageName, gatewayBaseUrl, dataDir });
  else cpSync(options.assemblyDir, assemblyDir, { recursive: true });
  if (options.change !== undefined) changeTemplates(assemblyDir, options.change);
  const stage = await runStage({
    assemblyDir,
    dataDir,
    key: developerKey,
    port: await freePort(0, '--port'),
    clock,
    clockFile,
    ...(options.isWithoutToken === true ? {} : { token: 'token' }),
    webhooksUrl: options.webhooksUrl,
    onFunctionLog: ({ text }) => options.onLine?.(text),
    log: () => {},
    ...(options.authorityFor === undefined ? {} : { authorityFor: options.authorityFor }),
  });
  const aws = createAwsCaller(stage);
  const { endpoint, region } = stage.assembly;
  writeFileSync(join(dataDir, keyFileName), textOfKey(developerKey), { mode: 0o600 });
  announceRunning(dataDir, { pid: process.pid, endpoint, stage: stageName, region });
  return {
    stage,
    gateway,
    aws,
    clock,
    dataDir,
    autopilot: async (...args) => runAutopilot(dataDir, args),
    autopilotReading: async (input, ...args) => runAutopilot(dataDir, args, { input }),
    control: controlOf(gateway.url),
    invoke: async (name, event) => stage.host.invoke(deployedFunctionName(stageName, name), JSON.stringify(event)),
    async close() {
      aws.close();
      await stage.close();
      await gateway.close();
      folder.remove();
    },
  };
}

/**
 * Moves the clock while nothing is under way, and waits until what fell due is worked off. A worker
 * in whose hands hours pass loses its lease, and its message is delivered again. Several commands
 * that fall due on the way want a move each.
 */
export async function letTimePass({ stage }: InProcessStage, milliseconds: number): Promise<void> {
  const untilIdle = async () =>
    until(
      'the workers to be idle',
      async () =>
        stage.host.busyCount() === 0 &&
        Object.values(stage.frontDoor.queueDepths()).every(({ visible, inFlight }) => visible + inFlight === 0),
    );

  await untilIdle();
  await stage.schedules.moveForward(milliseconds);
  await untilIdle();
}

/** What a person with the AWS SDK and invented credentials does to a stage. */
interface AwsCaller {
  readonly bucket: string;
  readonly put: (key: string, body: string) => Promise<void>;
  /** `queue` is the beginning of the queue's logical id: `Commands`, `UploadsDeadLetters`. */
  readonly send: (queue: string, body: string) => Promise<void>;
  /** How a command ended; `undefined`: it did not yet. */
  readonly outcomeOf: (commandId: string) => Promise<CommandRow['outcome']>;
  /** The run that a command was about; `undefined`: none is known. */
  readonly runOf: (commandId: string) => Promise<string | undefined>;
  /** What `autopilot history` tells, newest first. */
  readonly history: () => Promise<readonly HistoryEntry[]>;
  /** Keys of the rows that wait for a person. */
  readonly parked: () => Promise<readonly string[]>;
  readonly close: () => void;
}

/** Clients of the developer at the keyboard. */
function createAwsCaller({ assembly }: RunningStage): AwsCaller {
  const settings = {
    endpoint: assembly.endpoint,
    region: assembly.region,
    credentials: developerKey,
  };
  const s3 = new S3Client(settings);
  const sqs = new SQSClient(settings);
  const bucket = resourcesOfType(assembly, 'AWS::S3::Bucket')[0]?.physicalId ?? '';
  const dynamoDb = new DynamoDBClient(settings);
  const outputs: StageOutputs = Object.assign({}, ...assembly.outputs.values());
  const tableName = modeOf(outputs) === 'act' ? outputs.LedgerTableName : outputs.ObservedLedgerTableName;
  const ledger = createDynamoDbLedger({ client: dynamoDb, tableName });
  const queues = resourcesOfType(assembly, 'AWS::SQS::Queue');

  return {
    bucket,
    async put(key, body) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    },
    async send(queue, body) {
      const found = queues.find(({ logicalId }) => new RegExp(`^${queue}[0-9A-F]{8}$`).test(logicalId));
      if (found === undefined)
        throw new Error(`the template has no queue ${queue}: ${queues.map((q) => q.logicalId).join(', ')}`);
      await sqs.send(new SendMessageCommand({ QueueUrl: found.physicalId, MessageBody: body }));
    },
    outcomeOf: async (id) => (await ledger.read<CommandRow>(ledgerKeys.command(id)))?.outcome,
    runOf: async (id) => (await ledger.read<CommandRow>(ledgerKeys.command(id)))?.campaignRunId,
    async history() {
      const entries: HistoryEntry[] = [];
      for await (const { row, run } of readHistory(ledger, {})) entries.push(toHistoryEntry(row, run));
      return entries;
    },
    parked: async () => (await ledger.listOpen('PARKED')).items.map(({ pk }) => pk),
    close() {
      dynamoDb.destroy();
      s3.destroy();
      sqs.destroy();
    },
  };
}
