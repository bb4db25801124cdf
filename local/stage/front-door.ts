/**
 * The one address behind which the whole of AWS stands on this machine.
 *
 * Handlers reach it through `AWS_ENDPOINT_URL`, the command line through `--endpoint-url`. It knows
 * each caller by its access key. It asks the authority whether the caller's synthesized role allows
 * the action on the resource, and answers AccessDenied in AWS's words if it does not. State lives
 * under `dataDir` and survives a kill.
 */
import { join } from 'node:path';
import type { LocalSchedule } from '../schedules/local-schedule.ts';
import type { ResolvedAssembly } from '../template/cloud-assembly.ts';
import { createCloudFormationService } from '../aws/services/cloudformation-service.ts';
import type { AwsStage } from '../aws/services/aws-stage.ts';
import { openLocalAlarms } from '../aws/services/alarms.ts';
import type { LateReads } from '../aws/dynamodb/dynamodb-engine.ts';
import { createDynamoDbService, openDynamoDb } from '../aws/dynamodb/tables.ts';
import { readTables } from '../aws/dynamodb/declared-tables.ts';
import { openApiDestinations } from '../aws/events/api-destinations.ts';
import { createEventsService } from '../aws/events/events-service.ts';
import { type Authority, type Caller, senderIdOf } from '../aws/iam/authority.ts';
import { createLambdaService, type InvokeFunction } from '../aws/services/lambda-service.ts';
import { readBuckets } from '../aws/s3/buckets.ts';
import { notifyQueues, sendTestEvents } from '../aws/s3/notifications.ts';
import { openObjectStore } from '../aws/s3/object-store.ts';
import { createS3Service } from '../aws/s3/s3-service.ts';
import { createSchedulerService, localSchedules, type SchedulesPort } from '../aws/services/scheduler-service.ts';
import { createSecretsService, openSecretStore } from '../aws/services/secrets-service.ts';
import { createSnsService } from '../aws/services/sns-service.ts';
import type { DeliveryDisorder, NewMessage } from '../aws/sqs/queue-store.ts';
import { openQueues } from '../aws/sqs/queues.ts';
import { readQueues } from '../aws/sqs/declared-queues.ts';
import { createSqsService } from '../aws/sqs/sqs-service.ts';
import { createCalendarService, type LocalCalendars, openLocalCalendars } from '../aws/services/change-calendars.ts';
import { openMadeResources } from '../aws/open-database.ts';
import type { AwsService } from '../aws/wire/aws-service.ts';
import { AccessDenied } from '../aws/aws-error.ts';
import { type ExtraRoutes, serve } from '../aws/wire/serve.ts';

/** What the front door needs. */
export interface FrontDoorOptions {
  /** Its `endpoint` is the address to listen on. */
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  /** Where state is kept; created if it is missing. */
  readonly dataDir: string;
  /** Runs a function, for `Invoke` and for rules with functions as targets. */
  readonly invokeFunction: InvokeFunction;
  /** The local clock, which may be moved. @default Date.now */
  readonly now?: () => number;
  /** The times that a signature may be of. @default the machine's own */
  readonly times?: () => readonly number[];
  readonly onDeliveryRefused: AwsStage['onDeliveryRefused'];
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
export type FrontDoor = Awaited<ReturnType<typeof startFrontDoor>>;

/** Starts everything; rejects if the port is taken or the template asks for what can't be read. */
export async function startFrontDoor(options: FrontDoorOptions) {
  const { assembly, authority, dataDir, log, onDeliveryRefused, now = Date.now } = options;
  const queues = openQueues(readQueues(assembly), dataDir, now, options.disorder);
  const leftBehind = queues.depths();
  const objects = openObjectStore(dataDir, now);
  const made = openMadeResources(dataDir);
  const closers: (() => void | Promise<void>)[] = [() => queues.close(), () => objects.close(), () => made.close()];
  const close = async (): Promise<void> => {
    for (const step of closers.splice(0).toReversed()) await step();
  };
  const stage: AwsStage = { assembly, authority, made, now, log, sendToQueue, onDeliveryRefused };
  function sendToQueue(queueArn: string, body: string): void {
    const queue = queues.byArn(queueArn);
    if (queue === undefined) throw new Error('there is no such target');
    queues.send(queue, { body });
  }

  try {
    const buckets = readBuckets(assembly);
    for (const bucket of buckets.values()) if (objects.createBucket(bucket.name)) sendTestEvents(stage, bucket);
    const dynamoDb = await openDynamoDb(dataDir, readTables(assembly), options.lateReads);
    closers.push(dynamoDb.close);
    const sns = createSnsService(assembly);
    const callDestination = openApiDestinations(stage, options.webhooksUrl);
    const { invokeFunction } = options;
    const events = createEventsService(stage, (targetArn, payload) => {
      const [, , service, , , , name = ''] = targetArn.split(':');
      if (service === 'sns') return sns.publish(targetArn, payload);
      if (service === 'events') return callDestination(targetArn, payload);
      if (service === 'sqs') return sendToQueue(targetArn, payload);
      invokeFunction(name, payload).catch((error: unknown) => log(`${name}: ${String(error)}`));
      return undefined;
    });
    const alarms = openLocalAlarms(assembly, join(dataDir, 'alarms.json'), events.putOfAws);
    const calendars = options.calendars ?? openLocalCalendars(join(dataDir, 'calendars.json'));
    const notify = notifyQueues.bind(undefined, stage);
    const services: AwsService[] = [
      createSqsService(queues, assembly),
      createS3Service({ buckets, objects, uploads: new Map(), notify }),
      createDynamoDbService(dynamoDb, stage),
      createSecretsService(openSecretStore(dataDir), stage),
      events.service,
      createSchedulerService(options.schedules ?? noSchedules, stage),
      createLambdaService(invokeFunction, stage),
      createCloudFormationService(stage),
      createCalendarService(calendars, now),
      alarms.service,
      sns.service,
    ];
    const { times, extraRoutes } = options;
    const { endpoint: url, region } = assembly;
    const port = Number(new URL(url).port);
    const server = await serve({ services, authority, region, port, times, extraRoutes, dataDir, log });
    closers.push(async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    });

    return {
      url,
      queueDepths: () => queues.depths(),
      /** What an earlier run left in the queues, before this one began. */
      leftBehind,
      /** Milliseconds until the next hidden message shows, if there is one. */
      nextVisibleInMs(): number | undefined {
        const waits = Object.keys(queues.depths()).flatMap((name) => queues.store.nextVisibleInMs(name) ?? []);
        return waits.length === 0 ? undefined : Math.min(...waits);
      },
      /** Ends every wait of a receiver for a message at once. */
      endWaits: () => queues.endWaits(),
      /**
       * Shows messages that were in flight when the runner was killed, since its workers are gone;
       * their number.
       */
      makeInFlightVisible: queues.store.releaseInFlight,
      /**
       * Enqueues in the name of a principal, by its rights; throws AccessDenied. For deliveries by
       * the runner's own scheduler.
       */
      sendMessageAs(caller: Caller, queueArn: string, message: Pick<NewMessage, 'body' | 'attributes'>): string {
        const decision = authority.authorize({ caller, action: 'sqs:SendMessage', resource: queueArn });
        if (!decision.allowed) throw new AccessDenied(decision.message);
        const queue = queues.byArn(queueArn);
        if (queue === undefined) throw new Error(`no queue has the ARN ${queueArn}`);
        return queues.send(queue, { ...message, senderId: senderIdOf(caller) });
      },
      /** Those of the template, as calls have changed them, and those that callers made. */
      schedules: (): readonly LocalSchedule[] => localSchedules(stage),
      /** Forgets a schedule that callers made, once nothing of it is to come. */
      forgetSchedule: (name: string) => made.remove('schedule', name),
      /** The alarms that campaigns halt on. */
      alarms,
      recentEvents: events.recentEvents,
      /** The last messages of all topics, newest first. */
      recentMessages: sns.recentMessages,
      sweepExpired: dynamoDb.sweepExpired,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const noSchedules: SchedulesPort = { createdAt: () => undefined, add() {} };
