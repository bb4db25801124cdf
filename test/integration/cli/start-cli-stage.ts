/**
 * A stage behind the real front door, with workers that the test plays, and the real command in a
 * process of its own.
 */
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FrontDoor, startFrontDoor } from '#local/aws/front-door.ts';
import { openMovableClock } from '#local/clock/movable-clock.ts';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { startSchedules } from '#local/schedules/start-schedules.ts';
import { localRoutes } from '#local/stage/local-routes.ts';
import { takeDataFolder } from '#local/stage/data-folder.ts';
import { freePort } from '#local/stage/gateway-access.ts';
import { localScheduleOf } from '#local/schedules/local-schedule.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import { typedResources } from '#local/template/resource-properties.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { configQuestion } from '#shared/messages/questions.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { writeAssembly } from '../../builders/write-assembly.ts';
import { cliTemplates } from './cli-template.ts';

/** How one command line ended. */
export interface CliRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What a worker of the test does with a message. */
export type PlayedWorker = (queue: QueueName, body: string, ledger: Ledger) => Promise<void>;

/** The stage, and the command against it. */
export interface CliStage {
  readonly door: FrontDoor;
  readonly ledger: Ledger;
  readonly dataDir: string;
  readonly invoked: string[];
  /** Replaces what the workers do; they do nothing at first. */
  readonly play: (worker: PlayedWorker) => void;
  readonly cli: (...argv: readonly string[]) => Promise<CliRun>;
  /** The command, ended by a person's Ctrl-C as soon as `moment` says. */
  readonly cliUntil: (moment: Promise<unknown>, ...argv: readonly string[]) => Promise<CliRun>;
  readonly close: () => Promise<void>;
}

const stage = 'local';

/** What the worker answers of its configuration. */
const deployed = { mode: 'act', runs: { nightly: { campaignRunIds: [] } } };

/**
 * Starts all of it on a free port.
 * @param options - the version which the stage says that it was deployed by, and its region
 */
export async function startCliStage({
  version = productVersion,
  region = 'eu-west-1',
}: { readonly version?: string; readonly region?: string } = {}): Promise<CliStage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'autopilot-cli-stage-'));
  const { key, release } = takeDataFolder(dataDir, false);
  const assemblyDir = writeAssembly(cliTemplates(stage, version));
  const port = await freePort(0, '--port');
  const assembly = readAssembly(assemblyDir, { endpoint: `http://127.0.0.1:${port}`, region });
  const clock = openMovableClock(join(dataDir, 'clock.json'));
  const schedules = startSchedules({
    schedules: typedResources(assembly, 'AWS::Scheduler::Schedule').map(({ name, typed }) =>
      localScheduleOf({ ...typed, Name: name }, assembly),
    ),
    clock,
    stateFile: join(dataDir, 'schedules.json'),
    deliver: async () => {},
    deadLetter: async () => {},
    log: () => {},
  });
  const invoked: string[] = [];
  const door = await startFrontDoor({
    assembly,
    authority: createAuthority(assembly, key),
    dataDir: join(dataDir, 'aws'),
    async invokeFunction(_name, payload) {
      invoked.push(payload);
      return { payload: payload === JSON.stringify(configQuestion) ? JSON.stringify(deployed) : '{"packages":3}' };
    },
    now: () => clock.now(),
    onDeliveryRefused: () => {},
    log: () => {},
    schedules,
    extraRoutes: localRoutes({ clock, schedules: () => schedules, key, endpoint: assembly.endpoint }),
  });
  writeFileSync(
    join(dataDir, 'local.json'),
    JSON.stringify({ pid: 1, endpoint: door.url, stage, region: assembly.region }),
  );

  const config = {
    endpoint: door.url,
    region: assembly.region,
    credentials: key,
  };
  const outputs = assembly.outputs.get(stackNames(stage).state) ?? {};
  const ledger = createDynamoDbLedger({
    client: new DynamoDBClient(config),
    tableName: outputs['LedgerTableName'] ?? '',
  });
  const workers = startWorkers(new SQSClient(config), ledger, {
    commands: outputs['CommandsQueueUrl'] ?? '',
    uploads: outputs['UploadsQueueUrl'] ?? '',
  });

  return {
    door,
    ledger,
    dataDir,
    invoked,
    play: workers.play,
    cli: async (...argv) => runCli(argv, { AUTOPILOT_DATA: dataDir }),
    cliUntil: async (moment, ...argv) => runCli(argv, { AUTOPILOT_DATA: dataDir }, moment),
    async close() {
      await workers.stop();
      await schedules.stop();
      await door.close();
      release();
      for (const folder of [dataDir, assemblyDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const pollMs = 40;

/** Takes messages and does nothing. */
export const idle: PlayedWorker = async () => {};

function startWorkers(sqs: SQSClient, ledger: Ledger, urls: Readonly<Record<QueueName, string>>) {
  let worker: PlayedWorker = idle;
  const ending = new AbortController();
  const loops = Object.entries(urls).map(async ([queue, QueueUrl]) => {
    while (!ending.signal.aborted) {
      const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 0 }));
      for (const message of Messages ?? []) {
        await worker(queue as QueueName, message.Body ?? '', ledger);
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      }
      await sleep(pollMs);
    }
  });
  return {
    play: (next: PlayedWorker) => {
      worker = next;
    },
    async stop() {
      ending.abort();
      await Promise.all(loops);
      sqs.destroy();
    },
  };
}

const launcher = resolve(import.meta.dirname, '../../../cli/autopilot.mjs');

/**
 * Runs the command as a person does, in an environment that would lead it astray if it listened to
 * the person's own AWS settings.
 */
export async function runCli(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  interruptedAt?: Promise<unknown>,
): Promise<CliRun> {
  const child = spawn(process.execPath, [launcher, ...argv], {
    env: {
      PATH: process.env['PATH'],
      AWS_PROFILE: 'a-real-profile',
      AWS_ENDPOINT_URL_SQS: 'https://sqs.example.invalid',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  void interruptedAt?.then(() => child.kill('SIGINT'));
  const run = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (run.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (run.err += text));
  const code = await new Promise<number | null>((done, failed) => void child.once('close', done).once('error', failed));
  return { code, ...run };
}
