import { beforeAll, describe, expect, test } from 'vitest';
import { at, configurations, ofType, type StageTemplates, synthesize, targetOf, textAt } from '../template.ts';

/**
 * What is in here is fixed for life: another id is another table, bucket or queue, and the old
 * one's data is left behind.
 */
const statefulIds = [
  'AWS::DynamoDB::Table LedgerB7379752',
  'AWS::DynamoDB::Table ObservedLedger242337BA',
  'AWS::S3::Bucket Bucket83908E77',
  'AWS::S3::Bucket BucketAccessLogs0AA7ED48',
  'AWS::SQS::Queue Commands361DBF70',
  'AWS::SQS::Queue CommandsDeadLetters83B72B42',
  'AWS::SQS::Queue SchedulesDeadLettersD054CDCC',
  'AWS::SQS::Queue Uploads4F6EB0FD',
  'AWS::SQS::Queue UploadsDeadLetters990BC9BA',
  'AWS::SecretsManager::Secret Token',
];

const stateful = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue'];

describe('the deployed example', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
  });

  test('keeps the ids of everything that holds data', () => {
    const found = stateful.flatMap((type) => ofType(stage.state, type).map(([id]) => `${type} ${id}`));

    expect(found.toSorted()).toEqual(statefulIds.toSorted());
    expect(stateful.flatMap((type) => ofType(stage.workers, type))).toEqual([]);
  });

  test('keeps what holds data when its stack goes, and keeps the stack', () => {
    for (const [id, resource] of stateful.flatMap((type) => ofType(stage.state, type))) {
      // What has a fixed name goes when its very creation is rolled back: it would be in the way of
      // the next try.
      const kept = id.startsWith('Bucket') ? 'RetainExceptOnCreate' : 'Retain';
      expect(resource.DeletionPolicy, id).toBe(kept);
      expect(resource.UpdateReplacePolicy, id).toBe('Retain');
    }
    expect(stage.state.terminationProtection).toBe(true);
    expect(stage.workers.terminationProtection).toBe(false);
    expect(at(ofType(stage.state, 'AWS::DynamoDB::Table')[0]?.[1].Properties, 'DeletionProtectionEnabled')).toBe(true);
  });
});

describe('a second configuration', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configurations.second);
  });

  const schedule = (name: string) =>
    ofType(stage.workers, 'AWS::Scheduler::Schedule').find(([, { Properties }]) => Properties['Name'] === name)?.[1]
      .Properties;

  test('declares each kind of schedule as written, the switched-off one too', () => {
    expect(schedule('Monthly.sweep_1')).toMatchObject({ State: 'DISABLED', ScheduleExpressionTimezone: 'UTC' });
    expect(schedule('every-week')).toMatchObject({
      ScheduleExpression: 'rate(7 days)',
      StartDate: '2027-01-04T05:00:00.000Z',
    });
    expect(schedule('once')).toMatchObject({ ScheduleExpression: 'at(2027-01-02T06:00:00)', State: 'ENABLED' });
    expect(JSON.parse(textAt(schedule('once'), 'Target.Input'))).not.toHaveProperty('validFor');
  });

  test('runs as many environments as the rate of the gateway needs', () => {
    const concurrency = ofType(stage.workers, 'AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => targetOf(Properties['EventSourceArn'], stage).startsWith('Uploads4'))
      .map(([, { Properties }]) => at(Properties, 'ScalingConfig.MaximumConcurrency'));

    expect(concurrency).toEqual([20]); // 500 a second × 0.2 s ÷ 5 at once
  });

  test('keeps the ids of what holds data: they do not hang on the configuration', () => {
    expect(stateful.flatMap((type) => ofType(stage.state, type).map(([id]) => `${type} ${id}`)).toSorted()).toEqual(
      statefulIds.toSorted(),
    );
  });
});

describe('a stage on one machine', () => {
  test('may be thrown away', async () => {
    const { state } = await synthesize(configurations.exampleLocal);

    expect(state.terminationProtection).toBe(false);
    expect(JSON.stringify(state.resources)).not.toContain('"Retain"');
  });

  test('has short times for the fault run, from the document of the local stage', async () => {
    const { state, workers } = await synthesize(configurations.chaos);

    const timeouts = ofType(workers, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties['Timeout']);
    expect(new Set(timeouts)).toEqual(new Set([10]));
    expect(
      new Set(ofType(state, 'AWS::SQS::Queue').map(([, { Properties }]) => Properties['VisibilityTimeout'])),
    ).toEqual(new Set([60]));
    expect(state.name).toBe('GatewayAutopilot-chaos-State');
  });
});
