/** What callers make beside the template, by the clients that they use against AWS. */
import {
  DeleteRuleCommand,
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { GetBucketNotificationConfigurationCommand, GetBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
  type UpdateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import { ListSubscriptionsByTopicCommand, SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from './start-local-aws.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const topic = 'arn:aws:sns:eu-west-1:000000000000:alarms';
const bus = 'outcomes';
const observerArn = 'arn:aws:sqs:eu-west-1:000000000000:observer';
const workerRole = 'arn:aws:iam::000000000000:role/App-WorkerRole';
const clockRole = 'arn:aws:iam::000000000000:role/App-ClockRole';
const added: string[] = [];
const dataDir = folderOfFile();
let aws: LocalAws;
let sqs: SQSClient;
let sns: SNSClient;
let events: EventBridgeClient;
let scheduler: SchedulerClient;

/** Lets a service send to the observer. */
function letIn(service: string, sourceArn: string) {
  return {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sqs:SendMessage',
    Resource: observerArn,
    Condition: { ArnEquals: { 'aws:SourceArn': sourceArn } },
  };
}

const observerPolicy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    letIn('sns.amazonaws.com', topic),
    letIn('events.amazonaws.com', `arn:aws:events:eu-west-1:000000000000:rule/${bus}/observer`),
  ],
});

async function start(): Promise<void> {
  const schedules = {
    createdAt: () => undefined,
    add: ({ Name }: { Name: string }) => void added.push(Name),
    remove() {},
  };
  aws = await startLocalAws({ dataDir, schedules });
  sqs = new SQSClient(aws.developer);
  sns = new SNSClient(aws.developer);
  events = new EventBridgeClient(aws.developer);
  scheduler = new SchedulerClient(aws.developer);
}

beforeAll(start);
afterAll(async () => aws[Symbol.asyncDispose]());

const url = () => `${aws.door.url}/000000000000/observer`;

async function heard(): Promise<unknown[]> {
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url(), MaxNumberOfMessages: 10 }));
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}

describe('queues', () => {
  test('are made with their policy, which GetQueueAttributes shows; the same call again answers the same', async () => {
    const create = { QueueName: 'observer', Attributes: { Policy: observerPolicy, MessageRetentionPeriod: '600' } };

    const { QueueUrl } = await sqs.send(new CreateQueueCommand(create));

    expect(QueueUrl).toBe(url());
    expect((await sqs.send(new CreateQueueCommand(create))).QueueUrl).toBe(QueueUrl);
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    expect(Attributes).toMatchObject({ Policy: observerPolicy, MessageRetentionPeriod: '600', QueueArn: observerArn });
    const { QueueUrls } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'obs' }));
    expect(QueueUrls).toEqual([url()]);
    const other = sqs.send(new CreateQueueCommand({ ...create, Attributes: { MessageRetentionPeriod: '700' } }));
    await expect(other).rejects.toMatchObject({ name: 'QueueNameExists' });
  });

  test('of the template show their policy too, and are not deleted', async () => {
    const QueueUrl = aws.queueUrl('Jobs');
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }));

    expect(JSON.parse(Attributes?.['Policy'] ?? '').Statement[0].Principal).toEqual({ Service: 's3.amazonaws.com' });
    await expect(sqs.send(new DeleteQueueCommand({ QueueUrl }))).rejects.toMatchObject({ name: 'NotEmulated' });
  });

  test('of made names are no work of the stage: what settles does not wait for them', () => {
    expect(Object.keys(aws.door.queueDepths())).not.toContain('observer');
  });
});

async function subscribe(Endpoint: string, Protocol = 'sqs') {
  const Attributes = { RawMessageDelivery: 'true' };
  return sns.send(new SubscribeCommand({ TopicArn: topic, Protocol, Endpoint, Attributes }));
}

/** A rule of the template hands this event to the topic. */
async function ring(): Promise<void> {
  const entry = { EventBusName: bus, Source: 'ring', DetailType: 'Ring', Detail: '{}' };
  await events.send(new PutEventsCommand({ Entries: [entry] }));
}

describe('a topic', () => {
  test('hands what it takes to a subscribed queue, if the policy of the queue lets it', async () => {
    const { SubscriptionArn } = await subscribe(observerArn);
    await ring();

    expect(SubscriptionArn).toMatch(new RegExp(`^${topic}:`));
    expect(await heard()).toMatchObject([{ source: 'ring' }]);
    const { Subscriptions } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn: topic }));
    // There is no confirmation here, since no mail leaves this machine.
    expect(Subscriptions).toMatchObject([
      { SubscriptionArn: 'PendingConfirmation', Endpoint: 'soc@example.com' },
      { SubscriptionArn, Endpoint: observerArn },
    ]);
  });

  test('cannot send to a queue whose policy does not name it', async () => {
    const deaf = 'arn:aws:sqs:eu-west-1:000000000000:App-Heard';
    const { SubscriptionArn } = await subscribe(deaf);
    await ring();

    expect(aws.refused).toContainEqual(
      expect.objectContaining({ from: 'sns.amazonaws.com', source: topic, target: deaf }),
    );
    await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
    await heard();
  });

  test('takes no subscription of an address: no message leaves this machine', async () => {
    await expect(subscribe('a@example.com', 'email')).rejects.toMatchObject({ name: 'NotEmulated' });
  });
});

describe('a rule', () => {
  const rule = { EventBusName: bus, Rule: 'observer' };
  const event = (id: string) =>
    new PutEventsCommand({
      Entries: [{ EventBusName: bus, Source: 'autopilot', DetailType: 'Test', Detail: JSON.stringify({ id }) }],
    });

  test('hands what it matches to its target, from its targets on until it is deleted', async () => {
    await events.send(
      new PutRuleCommand({ Name: 'observer', EventBusName: bus, EventPattern: '{"detail-type":["Test"]}' }),
    );
    await events.send(event('early'));
    await events.send(new PutTargetsCommand({ ...rule, Targets: [{ Id: 'Queue', Arn: observerArn }] }));
    await events.send(event('heard'));

    expect(await heard()).toMatchObject([{ 'detail-type': 'Test', detail: { id: 'heard' } }]);
    const { Targets } = await events.send(new ListTargetsByRuleCommand(rule));
    expect(Targets).toEqual([{ Id: 'Queue', Arn: observerArn }]);
    const { Rules } = await events.send(new ListRulesCommand({ EventBusName: bus, NamePrefix: 'obs' }));
    expect(Rules).toMatchObject([{ Name: 'observer', State: 'ENABLED', EventPattern: '{"detail-type":["Test"]}' }]);
  });

  test.each([
    // EventBridge API, PutRule, Errors. These were answered 500.
    ['{"source":[{"begins":"a"}]}', 'InvalidEventPatternException'],
    ['{"source":"autopilot"}', 'InvalidEventPatternException'],
    ['[]', 'InvalidEventPatternException'],
    // EventBridge alone has these.
    ['{"source":[{"wildcard":"a*"}]}', 'NotEmulated'],
    ['{"$or":[{"source":["a"]}]}', 'NotEmulated'],
  ])('with the pattern %s is refused: %s', async (EventPattern, name) => {
    const put = events.send(new PutRuleCommand({ Name: 'odd', EventBusName: bus, EventPattern }));

    await expect(put).rejects.toMatchObject({ name });
  });

  test('of the template can be looked at, and not changed', async () => {
    const { Rules } = await events.send(new ListRulesCommand({ EventBusName: bus, NamePrefix: 'App-' }));
    const Name = Rules?.[0]?.Name ?? '';

    expect(Rules?.[0]).toMatchObject({ State: 'ENABLED' });
    await expect(events.send(new DeleteRuleCommand({ EventBusName: bus, Name }))).rejects.toMatchObject({
      name: 'NotEmulated',
    });
  });

  test('keeps its targets until they are removed: then it can be deleted, as often as one asks', async () => {
    const deletion = { EventBusName: bus, Name: 'observer' };
    await expect(events.send(new DeleteRuleCommand(deletion))).rejects.toThrow('since it has targets');
    await events.send(new RemoveTargetsCommand({ ...rule, Ids: ['Queue'] }));
    await events.send(event('late'));
    await events.send(new DeleteRuleCommand(deletion));
    await events.send(new DeleteRuleCommand(deletion));

    expect(await heard()).toEqual([]);
    expect((await events.send(new ListRulesCommand({ EventBusName: bus, NamePrefix: 'obs' }))).Rules).toEqual([]);
  });
});

describe('a schedule', () => {
  const schedule: CreateScheduleCommandInput = {
    Name: 'once',
    ScheduleExpression: 'at(2026-11-20T22:00:00)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: observerArn, RoleArn: workerRole, Input: '{}' },
  };
  const create = async (more: Partial<CreateScheduleCommandInput>) =>
    scheduler.send(new CreateScheduleCommand({ ...schedule, ...more }));

  test('needs a group that is there, and a role that Scheduler may assume', async () => {
    await expect(create({ GroupName: 'nothing' })).rejects.toThrow('Schedule group nothing does not exist.');
    for (const RoleArn of [workerRole, 'arn:aws:iam::000000000000:role/unknown']) {
      const Target = { Arn: observerArn, RoleArn, Input: '{}' };
      await expect(create({ Target })).rejects.toMatchObject({ name: 'ValidationException' });
    }
    expect(added).toEqual([]);
  });

  // Scheduler API, CreateSchedule and UpdateSchedule, Errors: ValidationException. These were answered 500.
  test.each<Partial<CreateScheduleCommandInput>>([
    { ScheduleExpressionTimezone: 'Europe/Dublim' },
    { ScheduleExpression: 'cron(0 25 ? * * *)' },
    { ScheduleExpression: 'rate(0 minutes)' },
    { ScheduleExpression: 'soon' },
  ])('that Scheduler could not compute is refused: %j', async (bad) => {
    const Target = { Arn: observerArn, RoleArn: clockRole, Input: '{}' };
    const sent = { ...schedule, Target, ...bad };

    await expect(create(sent)).rejects.toMatchObject({ name: 'ValidationException' });
    const change = scheduler.send(new UpdateScheduleCommand({ ...sent, Name: 'nightly' }));
    await expect(change).rejects.toMatchObject({ name: 'ValidationException' });
    expect(added).toEqual([]);
  });

  test('of the template is changed as a call says, until another template declares it otherwise', async () => {
    const { ScheduleExpression, FlexibleTimeWindow, Target } = await scheduler.send(
      new GetScheduleCommand({ Name: 'nightly' }),
    );
    const change = async (more: Partial<UpdateScheduleCommandInput>) =>
      scheduler.send(
        new UpdateScheduleCommand({
          Name: 'nightly',
          ScheduleExpression,
          FlexibleTimeWindow,
          Target: { Arn: Target?.Arn, Input: '{}', RoleArn: clockRole },
          State: 'DISABLED',
          StartDate: new Date('2026-12-01T00:00:00Z'),
          ...more,
        }),
      );

    await expect(change({ Target: { Arn: Target?.Arn, RoleArn: workerRole } })).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await change({});
    await aws[Symbol.asyncDispose]();
    await start();

    expect((await scheduler.send(new GetScheduleCommand({ Name: 'nightly' }))).State).toBe('DISABLED');
    expect(aws.door.schedules()).toMatchObject([
      { Name: 'nightly', State: 'DISABLED', StartDate: new Date('2026-12-01T00:00:00Z') },
    ]);
    expect(added).toEqual(['nightly']);
    await expect(change({ Name: 'nothing' })).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('of the template is neither made again nor deleted', async () => {
    await expect(create({ Name: 'nightly' })).rejects.toMatchObject({ name: 'ConflictException' });
    await expect(scheduler.send(new DeleteScheduleCommand({ Name: 'nightly' }))).rejects.toMatchObject({
      name: 'NotEmulated',
    });
    await expect(scheduler.send(new DeleteScheduleCommand({ Name: 'nothing' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    await expect(scheduler.send(new GetScheduleCommand({ Name: 'once' }))).rejects.toThrow('does not exist');
    expect((await scheduler.send(new ListSchedulesCommand({ NamePrefix: 'once' }))).Schedules).toEqual([]);
  });
});

test('a bucket says whether it keeps versions, and which events of which keys it sends where', async () => {
  const s3 = new S3Client(aws.developer);
  const Bucket = 'inbox-000000000000';
  const versioning = async (name: string) => (await s3.send(new GetBucketVersioningCommand({ Bucket: name }))).Status;
  const { QueueConfigurations } = await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket }));

  expect([await versioning(Bucket), await versioning('plain')]).toEqual(['Enabled', undefined]);
  expect(QueueConfigurations).toMatchObject([
    {
      QueueArn: 'arn:aws:sqs:eu-west-1:000000000000:App-Jobs',
      Events: ['s3:ObjectCreated:*'],
      Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: 'datasets/' }] } },
    },
    { Events: ['s3:ObjectRemoved:*'] },
  ]);
});

test('what callers made is there after a restart, and still hears', async () => {
  await aws.door.close();
  await start();
  await ring();

  expect(await heard()).toMatchObject([{ source: 'ring' }]);
  await sqs.send(new DeleteQueueCommand({ QueueUrl: url() }));
  await expect(sqs.send(new GetQueueAttributesCommand({ QueueUrl: url() }))).rejects.toMatchObject({
    name: 'QueueDoesNotExist',
  });
});
