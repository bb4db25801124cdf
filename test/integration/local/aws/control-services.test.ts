import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetEventSourceMappingCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetScheduleCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
  type UpdateSecretVersionStageCommandInput,
} from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test } from 'vitest';
import { signedFetch } from '#shared/net/request-signature.ts';
import { startLocalAws } from './start-local-aws.ts';

const invocations: [string, string][] = [];
const aws = await startLocalAws({
  invokeFunction: (name, payload, { logTail = false } = {}) => {
    invocations.push([name, payload]);
    const answer = { payload: '{"errorMessage":"no"}', functionError: 'Unhandled' };
    return Promise.resolve(logTail ? { ...answer, logResult: Buffer.from('last line').toString('base64') } : answer);
  },
  schedules: {
    createdAt: (name) => (name === 'nightly' ? new Date('2026-11-20T20:00:00Z') : undefined),
    add() {},
  },
});
afterAll(aws.close);
const [secrets, reader] = [new SecretsManagerClient(aws.developer), new SecretsManagerClient(aws.worker)];
const events = new EventBridgeClient(aws.developer);
const lambda = new LambdaClient(aws.developer);

const put = async (SecretString: string) =>
  secrets.send(new PutSecretValueCommand({ SecretId: 'gateway-token', SecretString }));
const get = async (SecretId: string, VersionStage?: string) =>
  (await reader.send(new GetSecretValueCommand({ SecretId, VersionStage }))).SecretString;

describe('secrets', () => {
  test('without a value say so in the words of AWS', async () => {
    const reading = get('gateway-token');

    await expect(reading).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(reading).rejects.toThrow(
      "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
    );
  });

  test('are given to functions only: a caller without their keys may be any user of this machine', async () => {
    await put('canary');

    const reading = secrets.send(new GetSecretValueCommand({ SecretId: 'gateway-token' }));

    await expect(reading).rejects.toThrow('to functions only');
    await expect(reading).rejects.not.toThrow('canary');
  });

  test('are found by name, ARN and ARN without suffix, and keep the value before', async () => {
    await put('old');
    const { ARN = '' } = await put('new');

    expect(await get('gateway-token')).toBe('new');
    expect(await get(ARN)).toBe('new');
    expect(await get(ARN.slice(0, -7))).toBe('new');
    expect(await get(ARN, 'AWSPREVIOUS')).toBe('old');
    await secrets.send(
      new PutSecretValueCommand({ SecretId: ARN, SecretString: 'next', VersionStages: ['AWSPENDING'] }),
    );
    expect(await get(ARN, 'AWSPENDING')).toBe('next');
    expect(await get(ARN)).toBe('new');
    const described = await secrets.send(new DescribeSecretCommand({ SecretId: ARN }));
    expect(Object.values(described.VersionIdsToStages ?? {})).toEqual(
      expect.arrayContaining([['AWSCURRENT'], ['AWSPREVIOUS'], ['AWSPENDING']]),
    );
  });

  test('keep a label where it is until the one that moves it says where it was', async () => {
    const { ARN: SecretId, VersionId = '' } = await secrets.send(
      new PutSecretValueCommand({ SecretId: 'gateway-token', SecretString: 'b', VersionStages: ['AWSPENDING'] }),
    );
    const move = async (
      input: Omit<UpdateSecretVersionStageCommandInput, 'SecretId' | 'VersionStage'>,
      stage: string,
    ) => secrets.send(new UpdateSecretVersionStageCommand({ SecretId, VersionStage: stage, ...input }));

    await expect(move({ MoveToVersionId: VersionId }, 'AWSCURRENT')).rejects.toThrow('RemoveFromVersionId');
    await expect(move({ RemoveFromVersionId: 'nothing' }, 'AWSPENDING')).rejects.toThrow("can't find");
    const { VersionIdsToStages = {} } = await secrets.send(new DescribeSecretCommand({ SecretId }));
    const current = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes('AWSCURRENT'))?.[0];
    await expect(move({ RemoveFromVersionId: current }, 'AWSCURRENT')).rejects.toThrow('only move');
    await move({ MoveToVersionId: VersionId, RemoveFromVersionId: current }, 'AWSCURRENT');
    await move({ RemoveFromVersionId: VersionId }, 'AWSPENDING');

    const after = await secrets.send(new DescribeSecretCommand({ SecretId }));
    expect(after.VersionIdsToStages).toEqual({ [VersionId]: ['AWSCURRENT'], [current ?? '']: ['AWSPREVIOUS'] });
  });
});

const levels = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;
const sized = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes) });

describe('the bus', () => {
  const Detail = JSON.stringify({ outcome: 'parked', id: 'a' });
  const entry = { EventBusName: 'outcomes', Source: 'autopilot', DetailType: 'Outcome', Detail };

  const putEvent = async (more: object) => events.send(new PutEventsCommand({ Entries: [{ ...entry, ...more }] }));
  const codeOf = async (more: object) => (await putEvent(more)).Entries?.[0]?.ErrorCode;

  test('takes events, keeps them to look at, and follows its rules', async () => {
    const applied = { ...entry, Detail: JSON.stringify({ outcome: 'applied', id: 'b' }) };
    const answer = await events.send(new PutEventsCommand({ Entries: [entry, applied] }));
    const sqs = new SQSClient(aws.developer);
    const heard = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: aws.queueUrl('Heard'), MaxNumberOfMessages: 10 }),
    );

    expect(answer.FailedEntryCount).toBe(0);
    expect(aws.door.recentEvents().map(({ event }) => event.detail['id'])).toEqual(['b', 'a']);
    expect(heard.Messages).toHaveLength(1);
    expect(JSON.parse(heard.Messages?.[0]?.Body ?? '')).toMatchObject({
      id: answer.Entries?.[0]?.EventId,
      source: 'autopilot',
      'detail-type': 'Outcome',
      account: '000000000000',
      detail: { outcome: 'parked' },
    });
  });

  test('takes what PutEvents takes: 1,000 levels, 128 characters of a type, 256 KB in all', async () => {
    expect(await codeOf({ Detail: levels(1000) })).toBeUndefined();
    expect(await codeOf({ Detail: levels(1001) })).toBe('MalformedDetail');
    expect(await codeOf({ DetailType: 'x'.repeat(128) })).toBeUndefined();
    expect(await codeOf({ DetailType: 'x'.repeat(129) })).toBe('InvalidArgument');
    expect(await codeOf({ Detail: sized(262_000) })).toBeUndefined();
    await expect(putEvent({ Detail: sized(262_144) })).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('refuses a broken entry and takes the others', async () => {
    const { Entries } = await events.send(
      new PutEventsCommand({ Entries: [{ ...entry, Detail: '[]' }, { ...entry, EventBusName: 'nothing' }, entry] }),
    );

    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      'MalformedDetail',
      'ResourceNotFoundException',
      undefined,
    ]);
  });
});

test('schedules are shown as declared, with the instant from which they count', async () => {
  const scheduler = new SchedulerClient(aws.developer);
  const { Schedules } = await scheduler.send(new ListSchedulesCommand({}));
  const schedule = await scheduler.send(new GetScheduleCommand({ Name: 'nightly' }));

  expect(Schedules).toMatchObject([{ Name: 'nightly', GroupName: 'default', State: 'ENABLED' }]);
  expect(schedule).toMatchObject({
    ScheduleExpression: 'cron(0 22 ? * MON-FRI *)',
    ScheduleExpressionTimezone: 'Europe/Dublin',
    CreationDate: new Date('2026-11-20T20:00:00Z'),
    Target: { Arn: 'arn:aws:sqs:eu-west-1:000000000000:App-Jobs', Input: '{"action":"start"}' },
  });
  await expect(scheduler.send(new GetScheduleCommand({ Name: 'no' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

describe('functions', () => {
  test('are invoked with what was sent, and their error comes back', async () => {
    const Payload = Buffer.from('{"a":1}');
    const answer = await lambda.send(new InvokeCommand({ FunctionName: 'App-Worker', Payload, LogType: 'Tail' }));

    expect(invocations).toContainEqual(['App-Worker', '{"a":1}']);
    expect(answer.FunctionError).toBe('Unhandled');
    expect(answer.Payload?.transformToString()).toBe('{"errorMessage":"no"}');
    expect(Buffer.from(answer.LogResult ?? '', 'base64').toString()).toBe('last line');
    expect(await lambda.send(new InvokeCommand({ FunctionName: 'App-Worker', Payload }))).not.toHaveProperty(
      'LogResult',
    );
  });

  test('show their mappings', async () => {
    const UUID = aws.assembly.resources.find(({ logicalId }) => logicalId === 'Mapping')?.physicalId;

    expect(await lambda.send(new GetEventSourceMappingCommand({ UUID }))).toMatchObject({
      UUID,
      State: 'Enabled',
      EventSourceArn: 'arn:aws:sqs:eu-west-1:000000000000:App-Jobs',
    });
    const unknown = lambda.send(new GetEventSourceMappingCommand({ UUID: 'nothing' }));
    await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

test('a service that is not served is named', async () => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'TrentService.DescribeKey' };
  const request = { method: 'POST', url: '/', headers, body: '{}' };
  const place = { key: aws.developer.credentials, region: 'eu-west-1', service: 'kms' };
  const answer = await signedFetch(aws.door.url, request, place);

  expect(await answer.json()).toMatchObject({
    __type: 'NotEmulated',
    message: expect.stringContaining('kms:DescribeKey'),
  });
});
