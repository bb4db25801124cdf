/** The schedules that callers make or change beside the template, and what a bucket and a topic say of themselves. */
import { GetBucketNotificationConfigurationCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
  type UpdateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from './start-local-aws.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const jobsArn = 'arn:aws:sqs:eu-west-1:000000000000:App-Jobs';
const workerRole = 'arn:aws:iam::000000000000:role/App-WorkerRole';
const clockRole = 'arn:aws:iam::000000000000:role/App-ClockRole';
const added: string[] = [];
const dataDir = folderOfFile();
let aws: LocalAws;
let scheduler: SchedulerClient;

async function start(): Promise<void> {
  const schedules = { createdAt: () => undefined, add: ({ Name }: { Name: string }) => void added.push(Name) };
  aws = await startLocalAws({ dataDir, schedules });
  scheduler = new SchedulerClient(aws.developer);
}

beforeAll(start);
afterAll(async () => aws[Symbol.asyncDispose]());

describe('a schedule', () => {
  const schedule: CreateScheduleCommandInput = {
    Name: 'once',
    ScheduleExpression: 'at(2026-11-20T22:00:00)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: jobsArn, RoleArn: workerRole, Input: '{}' },
  };
  const create = async (more: Partial<CreateScheduleCommandInput>) =>
    scheduler.send(new CreateScheduleCommand({ ...schedule, ...more }));

  test('needs a group that is there, and a role that Scheduler may assume', async () => {
    await expect(create({ GroupName: 'nothing' })).rejects.toThrow('Schedule group nothing does not exist.');
    for (const RoleArn of [workerRole, 'arn:aws:iam::000000000000:role/unknown']) {
      const Target = { Arn: jobsArn, RoleArn, Input: '{}' };
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
    const Target = { Arn: jobsArn, RoleArn: clockRole, Input: '{}' };
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

  test('of the template is not made again', async () => {
    await expect(create({ Name: 'nightly' })).rejects.toMatchObject({ name: 'ConflictException' });
    await expect(scheduler.send(new GetScheduleCommand({ Name: 'once' }))).rejects.toThrow('does not exist');
    expect((await scheduler.send(new ListSchedulesCommand({ NamePrefix: 'once' }))).Schedules).toEqual([]);
  });
});

test('a bucket says which events of which keys it sends where', async () => {
  const s3 = new S3Client(aws.developer);
  const asked = new GetBucketNotificationConfigurationCommand({ Bucket: 'inbox-000000000000' });
  const { QueueConfigurations } = await s3.send(asked);

  expect(QueueConfigurations).toMatchObject([
    {
      QueueArn: jobsArn,
      Events: ['s3:ObjectCreated:*'],
      Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: 'datasets/' }] } },
    },
    { Events: ['s3:ObjectRemoved:*'] },
  ]);
});

test('a topic lists its addresses: each waits for a confirmation, since no mail leaves this machine', async () => {
  const sns = new SNSClient(aws.developer);
  const asked = new ListSubscriptionsByTopicCommand({ TopicArn: 'arn:aws:sns:eu-west-1:000000000000:alarms' });

  expect((await sns.send(asked)).Subscriptions).toMatchObject([
    { SubscriptionArn: 'PendingConfirmation', Endpoint: 'soc@example.com' },
  ]);
});
