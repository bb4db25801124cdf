/**
 * The one address behind which the whole of AWS stands on this machine.
 *
 * Handlers reach it through `AWS_ENDPOINT_URL`, the command line through `--endpoint-url`. It knows
 * each caller by its access key. It asks the authority whether the caller's synthesized role allows
 * the action on the resource, and answers AccessDenied in AWS's words if it does not. State lives
 * under `dataDir` and survives a kill.
 */
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Authority, Caller } from './iam/authority.ts';
import { senderIdOf } from './iam/sender-id.ts';
import type { ResolvedAssembly } from '../template/assembly.ts';
import { type LocalAlarms, openLocalAlarms } from './cloudwatch/alarms.ts';
import { createCloudFormationService } from './account/cloudformation-service.ts';
import type { LateReads } from './dynamodb/dynamodb-engine.ts';
import { createDynamoDbService, openDynamoDb, readTables } from './dynamodb/tables.ts';
import { createEventsService } from './events/events-service.ts';
import { openApiDestinations } from './events/api-destinations.ts';
import type { EventsServiceOptions, RecordedEvent } from './events/events-service.ts';
import { createLambdaService } from './lambda/lambda-service.ts';
import type { InvokeFunction } from './lambda/lambda-service.ts';
import { readBuckets } from './s3/buckets.ts';
import { openMultipartStore } from './s3/multipart-store.ts';
import { createBucketNotifier } from './s3/notifications.ts';
import { openObjectStore } from './s3/object-store.ts';
import { createS3Service } from './s3/s3-service.ts';
import { createSchedulerService, declaredSchedules, madeSchedules } from './scheduler/scheduler-service.ts';
import type { SchedulesPort } from './scheduler/scheduler-service.ts';
import { createSecretsService, openSecretStore } from './secrets/secrets-service.ts';
import { createSnsService, openSubscriptions, type PublishedMessage } from './sns/sns-service.ts';
import type { DeliveryDisorder, NewMessage, MessageCounts } from './sqs/queue-store.ts';
import { type LocalSchedule, localScheduleOf } from '../schedules/local-schedule.ts';
import { createCalendarService, type LocalCalendars, openLocalCalendars } from './ssm/change-calendars.ts';
import { openQueues, type Queues, readQueues } from './sqs/queues.ts';
import { openMadeQueues } from './sqs/made-queues.ts';
import { createSqsService } from './sqs/sqs-service.ts';
import { openMadeResources } from './storage/open-database.ts';
import type { AwsService, RefusedDelivery } from './wire/messages.ts';
import { AccessDenied } from './wire/aws-errors.ts';
import { serve } from './wire/serve.ts';
import type { ExtraRoutes } from './wire/serve.ts';

/** What the front door needs. */
export interface FrontDoorOptions {
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  /**
   * 0 takes any free port. Queue URLs in the assembly name its `endpoint`: the two should agree.
   */
  readonly port: number;
  /** Where state is kept; created if it is missing. */
  readonly dataDir: string;
  /** Runs a function, for `Invoke` and for rules with functions as targets. */
  readonly invokeFunction: InvokeFunction;
  /** The local clock, which may be moved. @default Date.now */
  readonly now?: () => number;
  /** The times that a signature may be of. @default the machine's own */
  readonly times?: () => readonly number[];
  /**
   * Hears of deliveries by S3 or EventBridge that a policy refused: on AWS those are lost without a
   * word.
   */
  readonly onDeliveryRefused: (refused: RefusedDelivery) => void;
  readonly log: (line: string) => void;
  /** The runner's own scheduler. @default one that fires nothing */
  readonly schedules?: SchedulesPort;
  /** Loopback address that stands for every API destination. @default none is called */
  readonly webhooksUrl?: string | undefined;
  /** Tried first for paths under `/_local/`. */
  readonly extraRoutes?: ExtraRoutes;
  /** Change calendars, as a person moves them. @default those of a file in `dataDir` */
  readonly calendars?: LocalCalendars;
  /** For fault runs. @default every message once, in the order of sending */
  readonly disorder?: DeliveryDisorder | undefined;
  /** For fault runs. @default every read sees what was written before it */
  readonly lateReads?: LateReads | undefined;
}

/** The running front door. */
export interface FrontDoor {
  readonly url: string;
  readonly port: number;
  queueDepths(): Record<string, MessageCounts>;
  /** What an earlier run left in the queues, before this one began. */
  readonly leftBehind: Readonly<Record<string, MessageCounts>>;
  /** Milliseconds until the next hidden message shows, if there is one. */
  nextVisibleInMs(): number | undefined;
  /** Ends every wait of a receiver for a message at once. */
  endWaits(): void;
  /**
   * Shows messages that were in flight when the runner was killed, since its workers are gone;
   * their number.
   */
  makeInFlightVisible(): number;
  /**
   * Enqueues in the name of a principal, by its rights; throws AccessDenied. For deliveries by the
   * runner's own scheduler.
   */
  sendMessageAs(caller: Caller, queueArn: string, message: Pick<NewMessage, 'body' | 'attributes'>): string;
  /** Schedules that callers made. */
  madeSchedules(): readonly LocalSchedule[];
  /** The schedules of the template, as calls have changed them. */
  declaredSchedules(): readonly LocalSchedule[];
  /** Forgets a schedule that callers made, once nothing of it is to come. */
  forgetSchedule(name: string): void;
  /** The alarms that campaigns halt on. */
  readonly alarms: LocalAlarms;
  /** The last events of all buses, newest first. */
  recentEvents(): readonly RecordedEvent[];
  /** The last messages of all topics, newest first. */
  recentMessages(): readonly PublishedMessage[];
  /** Deletes table items whose time to live has passed; their number. */
  sweepExpired(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

/** Starts everything; rejects if the port is taken or the template asks for what can't be read. */
export async function startFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const { assembly, authority, dataDir, log, now = Date.now } = options;
  const { region, accountId } = assembly;
  let url = assembly.endpoint;

  const queues = openQueues(readQueues(assembly), dataDir, now, options.disorder);
  const leftBehind = queues.depths();
  const storage = openBucketStorage(options, queues, now);
  const tables = readTables(assembly);
  const made = openMadeResources(dataDir);
  const arnOf = (name: string): string => `arn:aws:sqs:${region}:${accountId}:${name}`;
  const madeQueues = openMadeQueues({ queues, made, authority, arnOf });
  const closeFiles = (): void => {
    queues.close();
    storage.close();
    made.close();
  };
  const dynamoDb = await openDynamoDb(dataDir, tables, options.lateReads).catch((error: unknown) => {
    closeFiles();
    throw error;
  });
  const sendToQueue = (queueArn: string, body: string): void => {
    const queue = queues.byArn(queueArn);
    if (queue === undefined) throw new Error('there is no such target');
    queues.send(queue, { body });
  };
  const { onDeliveryRefused } = options;
  const sns = createSnsService(assembly, openSubscriptions({ made, authority, now, sendToQueue, onDeliveryRefused }));
  const callDestination = openApiDestinations({ assembly, url: options.webhooksUrl, log });
  const events = createEventsService({
    assembly,
    authority,
    made,
    now,
    deliver: deliverTo({ sendToQueue, callDestination, publish: (message) => sns.publish(message) }, options),
    onDeliveryRefused,
  });
  const alarms = openLocalAlarms(assembly, join(dataDir, 'alarms.json'), (event) => events.putOfAws(event));
  const services: AwsService[] = [
    createSqsService({ queues, accountId, region, endpoint: () => url, now, madeQueues }),
    storage.service,
    createDynamoDbService({ ...dynamoDb, tables, region, accountId }),
    createSecretsService({ assembly, store: openSecretStore(dataDir), now }),
    events,
    createSchedulerService({ assembly, made, authority, schedules: options.schedules ?? noSchedules }),
    createLambdaService({ assembly, invokeFunction: options.invokeFunction, log }),
    createCloudFormationService(assembly, now()),
    createCalendarService(options.calendars ?? openLocalCalendars(join(dataDir, 'calendars.json')), now),
    alarms.service,
    sns,
  ];
  const closeState = async (): Promise<void> => {
    closeFiles();
    await dynamoDb.close();
  };
  let server: Server;
  try {
    server = await serve({
      services,
      authority,
      region,
      port: options.port,
      times: options.times,
      extraRoutes: options.extraRoutes,
      dataDir,
      log,
    });
  } catch (error) {
    await closeState();
    throw error;
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  url = `http://127.0.0.1:${port}`;

  return {
    url,
    port,
    queueDepths: () => queues.depths(),
    leftBehind,
    nextVisibleInMs() {
      const waits = Object.keys(queues.depths()).flatMap((name) => queues.store.nextVisibleInMs(name) ?? []);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    endWaits: () => queues.endWaits(),
    makeInFlightVisible: () => queues.store.releaseInFlight(),
    sendMessageAs(caller, queueArn, message) {
      const decision = authority.authorize({ caller, action: 'sqs:SendMessage', resource: queueArn });
      if (!decision.allowed) throw new AccessDenied(decision.message);
      const queue = queues.byArn(queueArn);
      if (queue === undefined) throw new Error(`no queue has the ARN ${queueArn}`);
      return queues.send(queue, { ...message, senderId: senderIdOf(caller) });
    },
    madeSchedules: () => madeSchedules({ made }).map((schedule) => localScheduleOf(schedule, assembly)),
    declaredSchedules: () =>
      declaredSchedules({ assembly, made }).map((schedule) => localScheduleOf(schedule, assembly)),
    forgetSchedule: (name) => made.remove('schedule', name),
    alarms,
    recentEvents: () => events.recentEvents(),
    recentMessages: () => sns.recentMessages(),
    sweepExpired: (nowMs) => dynamoDb.sweepExpired(nowMs),
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await closeState();
    },
  };
}

function openBucketStorage(
  { assembly, authority, dataDir, onDeliveryRefused }: FrontDoorOptions,
  queues: Queues,
  now: () => number,
): { service: AwsService; close(): void } {
  const { region, accountId } = assembly;
  const objects = openObjectStore(dataDir, now);
  const uploads = openMultipartStore(dataDir);
  const notifier = createBucketNotifier({ queues, authority, region, accountId, now, onDeliveryRefused });
  const buckets = readBuckets(assembly);
  for (const bucket of buckets.values()) if (objects.createBucket(bucket.name)) notifier.sendTestEvents(bucket);
  return {
    service: createS3Service({ buckets, objects, uploads, notifier }),
    close() {
      objects.close();
      uploads.close();
    },
  };
}

const noSchedules: SchedulesPort = { createdAt: () => undefined, add() {}, remove() {} };

/** What a rule can hand its events to, beside functions. */
interface Targets {
  readonly sendToQueue: (arn: string, payload: string) => void;
  readonly callDestination: (arn: string, payload: string) => void;
  readonly publish: (message: PublishedMessage) => void;
}

function deliverTo(targets: Targets, { invokeFunction, log }: FrontDoorOptions): EventsServiceOptions['deliver'] {
  return (targetArn, payload) => {
    const [, , service, , , , name = ''] = targetArn.split(':');
    if (service === 'sns') return targets.publish({ topicArn: targetArn, subject: undefined, message: payload });
    if (service === 'events') return targets.callDestination(targetArn, payload);
    if (service === 'sqs') return targets.sendToQueue(targetArn, payload);
    invokeFunction(name, payload).catch((error: unknown) => log(`${name}: ${String(error)}`));
    return undefined;
  };
}
