import { join } from 'node:path';
import { type FrontDoor, startFrontDoor } from './front-door.ts';
import type { LateReads } from '../aws/dynamodb/dynamodb-engine.ts';
import type { DeliveryDisorder } from '../aws/sqs/queue-store.ts';
import { type CallsInHand, createCallsInHand, type MovableClock } from '../clock/movable-clock.ts';
import { type AccessKey, signedFetch } from '#shared/net/request-signature.ts';
import { type Authority, createAuthority } from '../aws/iam/authority.ts';
import { type EventSourceMapping, startEventSourceMapping } from '../lambda/mapping/event-source-mapping.ts';
import { openLocalCalendars } from '../aws/services/change-calendars.ts';
import { createFunctionHost, type FunctionHost } from '../lambda/function-host.ts';
import type { FunctionLogLine, LocalFunction } from '../lambda/local-function.ts';
import { type LocalSchedules, startSchedules } from '../schedules/start-schedules.ts';
import { readAssembly } from '../template/read-assembly.ts';
import { type ResolvedAssembly, resourcesOfType } from '../template/cloud-assembly.ts';
import { typedResources } from '../template/resource-properties.ts';
import { logFolder } from './data-folder.ts';
import { localRoutes } from './local-routes.ts';
import { openLedgerDueWork, scheduleDeliveryPorts } from './schedule-delivery-ports.ts';
import { releasedLine } from './terminal-lines.ts';
import { functionsOfTemplate } from './template-functions.ts';
import { createHash } from 'node:crypto';

/** What a stage is run from. */
export interface StageRun {
  /** A cloud assembly: what `cdk deploy` would deploy. */
  readonly assemblyDir: string;
  readonly dataDir: string;
  /** Of that folder: the developer's. */
  readonly key: AccessKey;
  readonly port: number;
  readonly clock: MovableClock;
  readonly clockFile: string;
  /**
   * Put into the token secret, as an operator would. Absent: the secret stays as it is, at first
   * without a value.
   */
  readonly token?: string;
  /** Loopback address that every webhook calls. @default none is called */
  readonly webhooksUrl?: string | undefined;
  /** Decides who may do what. @default the policies of the template */
  readonly authorityFor?: (assembly: ResolvedAssembly, key: AccessKey) => Authority;
  /**
   * For fault runs: the queues deliver out of order and some messages twice. @default in order,
   * once
   */
  readonly disorder?: DeliveryDisorder;
  /** For fault runs: tables are read as late as AWS allows. @default at once */
  readonly lateReads?: LateReads;
  readonly onFunctionLog: (line: FunctionLogLine) => void;
  readonly log: (line: string) => void;
}

/** A stage that runs. */
export interface RunningStage {
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  readonly frontDoor: FrontDoor;
  readonly host: FunctionHost;
  readonly schedules: LocalSchedules;
  /** Takes nothing new, lets what is under way end, and leaves no process behind. */
  readonly close: () => Promise<void>;
}

/** Expired items are swept as DynamoDB does, only sooner. */
const sweepEveryMs = 60_000;

/** After a step of the clock the workers get this long to work off what was delivered. */
const longestSettleMs = 10_000;
const settlePollMs = 50;

/**
 * Runs the template: queues, bucket, table, secret and bus, each function in processes of its own,
 * mappings and schedules as declared.
 */
export async function runStage(run: StageRun): Promise<RunningStage> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closers.splice(0).toReversed()) await step();
  };
  try {
    return { ...(await openStage(run, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts one part after the other, and puts beside each how it is closed. */
async function openStage(run: StageRun, closers: (() => Promise<void> | void)[]): Promise<Omit<RunningStage, 'close'>> {
  const { clock, dataDir, key, log } = run;
  const assembly = readAssembly(run.assemblyDir, { endpoint: `http://127.0.0.1:${run.port}` });
  const authority = (run.authorityFor ?? createAuthority)(assembly, key);
  const functions = functionsOfTemplate(assembly, authority, run.clockFile);
  const calls = createCallsInHand();
  const host = createFunctionHost({ functions, logDirectory: logFolder(dataDir), onLog: run.onFunctionLog, calls });
  let schedules: LocalSchedules | undefined;

  const calendars = openLocalCalendars(join(dataDir, 'calendars.json'));
  const frontDoor = await startFrontDoor({
    assembly,
    authority,
    dataDir: join(dataDir, 'aws'),
    invokeFunction: async (name, payload, options) => host.invoke(name, payload, options),
    now: () => clock.now(),
    times: () => clock.times(),
    onDeliveryRefused: (refused) => log(`not delivered: ${JSON.stringify(refused)}`),
    log,
    schedules: {
      createdAt: (name) => schedules?.createdAt(name),
      add: (schedule) => schedules?.add(schedule),
    },
    extraRoutes: localRoutes({
      clock,
      schedules: () => schedules,
      calendars,
      alarms: () => frontDoor.alarms,
      key,
      endpoint: assembly.endpoint,
    }),
    calendars,
    disorder: run.disorder,
    lateReads: run.lateReads,
    webhooksUrl: run.webhooksUrl,
  });
  closers.push(async () => frontDoor.close());
  if (run.token !== undefined) await putGatewayToken(assembly, key, run.token);
  // The workers of an earlier run are gone, so what they held need not wait for its visibility
  // timeout.
  const released = frontDoor.makeInFlightVisible();
  if (released > 0) log(releasedLine(released));

  calls.onMoveAhead(() => frontDoor.endWaits());
  const mappings = startMappings({ assembly, functions, host, calls, log });
  closers.push(
    async () => void (await Promise.all([...mappings.map(async (mapping) => mapping.close()), host.close()])),
  );
  const dueWork = openLedgerDueWork(assembly, key);
  closers.push(() => dueWork?.close());
  schedules = startSchedules({
    schedules: frontDoor.schedules(),
    clock,
    stateFile: join(dataDir, 'schedules.json'),
    settle: async () => settle(frontDoor, host),
    moveBetweenCalls: calls.moveBetween,
    dueWork,
    onDeletedAtEnd: (name) => frontDoor.forgetSchedule(name),
    log,
    ...scheduleDeliveryPorts({ assembly, authority, frontDoor, host }),
  });
  const started = schedules;
  closers.push(async () => started.stop());
  closers.push(clock.onMove((offsetMs) => host.setClock(offsetMs)));
  const sweeper = setInterval(() => {
    void frontDoor
      .sweepExpired(clock.now())
      .catch((error: unknown) => log(`expired items were not swept: ${String(error)}`));
  }, sweepEveryMs);
  closers.push(() => clearInterval(sweeper));

  return {
    assembly,
    authority,
    frontDoor,
    host,
    schedules: started,
  };
}

function startMappings({
  assembly,
  functions,
  host,
  calls,
  log,
}: {
  readonly assembly: ResolvedAssembly;
  readonly functions: readonly LocalFunction[];
  readonly host: FunctionHost;
  readonly calls: CallsInHand;
  readonly log: (line: string) => void;
}): EventSourceMapping[] {
  const queues = resourcesOfType(assembly, 'AWS::SQS::Queue');
  return typedResources(assembly, 'AWS::Lambda::EventSourceMapping').map(({ logicalId, typed }) => {
    const fn = functions.find(({ name }) => name === typed.FunctionName.split(':').at(-1));
    const queue = queues.find(({ arn }) => arn === typed.EventSourceArn);
    if (fn === undefined || queue === undefined)
      throw new Error(
        `event source mapping ${logicalId}: no function ${typed.FunctionName} or queue ${typed.EventSourceArn}`,
      );
    const mapping = {
      functionName: fn.name,
      queueArn: typed.EventSourceArn,
      enabled: typed.Enabled,
      batchSize: typed.BatchSize,
      maximumConcurrency: typed.ScalingConfig?.MaximumConcurrency,
      reportsItemFailures: typed.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    };
    const { endpoint: endpointUrl, region } = assembly;
    return startEventSourceMapping(mapping, {
      access: { queueUrl: queue.physicalId, endpointUrl, region, credentials: fn.credentials },
      invoke: async (name, payload) => host.invoke(name, payload),
      calls,
      log,
    });
  });
}

/** Waits until nothing is visible in a queue and no function is busy. */
async function settle(frontDoor: FrontDoor, host: FunctionHost): Promise<void> {
  const isIdle = () =>
    host.busyCount() === 0 &&
    Object.values(frontDoor.queueDepths()).every(({ visible, inFlight }) => visible + inFlight === 0);
  const until = performance.now() + longestSettleMs;
  while (performance.now() < until && !isIdle()) await new Promise((resolve) => setTimeout(resolve, settlePollMs));
}

/**
 * Puts the gateway's token into the stage's secret, as an operator does after a deployment; the
 * same token again changes nothing.
 */
export async function putGatewayToken(assembly: ResolvedAssembly, key: AccessKey, token: string): Promise<void> {
  const { endpoint, region } = assembly;
  const [secret] = resourcesOfType(assembly, 'AWS::SecretsManager::Secret');
  if (secret === undefined) return;
  const request = {
    method: 'POST',
    url: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.PutSecretValue',
    },
    body: JSON.stringify({
      SecretId: secret.physicalId,
      SecretString: token,
      // The same token is the same version.
      ClientRequestToken: createHash('sha256').update(token).digest('hex'),
    }),
  };
  const answer = await signedFetch(endpoint, request, { key, region, service: 'secretsmanager' });
  if (!answer.ok) throw new Error(`the token could not be put into ${secret.physicalId}: ${answer.status}`);
}
