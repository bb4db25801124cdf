import type { JsonObject } from '#local/template/assembly.ts';
import { datasetIndex, openIndex } from '#shared/aws/dynamodb-ledger.ts';
import { scheduleGroupName, stackNames } from '#shared/vocabulary/stack-outputs.ts';
import type { Templates } from '../../builders/write-assembly.ts';

const arn = (logicalId: string): JsonObject => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const ref = (logicalId: string): JsonObject => ({ Ref: logicalId });
const queues = ['Commands', 'Uploads', 'Schedules'] as const;
const trust = {
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
};

function functionOf(role: string): JsonObject {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Role: arn(role), Runtime: 'nodejs24.x', Handler: 'handler.handler', Timeout: 30 },
  };
}

const queueResources = Object.fromEntries(
  queues.flatMap((name) => [
    [name, { Type: 'AWS::SQS::Queue' }],
    [`${name}Dead`, { Type: 'AWS::SQS::Queue' }],
  ]),
);

const state: JsonObject = {
  ...queueResources,
  UploadsPolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref('Uploads')],
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: 'sqs:SendMessage',
            Principal: { Service: 's3.amazonaws.com' },
            Resource: [arn('Uploads')],
          },
        ],
      },
    },
  },
  Bucket: {
    Type: 'AWS::S3::Bucket',
    Properties: {
      BucketName: 'cli-bucket',
      VersioningConfiguration: { Status: 'Enabled' },
      NotificationConfiguration: {
        QueueConfigurations: [
          {
            Event: 's3:ObjectCreated:*',
            Queue: arn('Uploads'),
            Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'datasets/' }] } },
          },
        ],
      },
    },
  },
  Ledger: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', openIndex.partitionKey, openIndex.sortKey, datasetIndex.partitionKey].map(
        (name) => ({
          AttributeName: name,
          AttributeType: 'S',
        }),
      ),
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: openIndex.name,
          KeySchema: [
            { AttributeName: openIndex.partitionKey, KeyType: 'HASH' },
            { AttributeName: openIndex.sortKey, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: datasetIndex.name,
          KeySchema: [{ AttributeName: datasetIndex.partitionKey, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    },
  },
  Token: { Type: 'AWS::SecretsManager::Secret' },
  Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
  Poll: functionOf('Role'),
};

function schedule(
  stage: string,
  name: string,
  target: JsonObject,
  expression = 'cron(0 22 ? * MON-FRI *)',
): JsonObject {
  return {
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      Name: name,
      GroupName: scheduleGroupName(stage),
      ScheduleExpression: expression,
      ScheduleExpressionTimezone: 'Europe/Dublin',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RoleArn: arn('Role'), ...target },
    },
  };
}

const weeknights = {
  version: 1,
  id: 'weeknights@<aws.scheduler.scheduled-time>',
  action: 'start',
  run: 'nightly',
  issuedAt: '<aws.scheduler.scheduled-time>',
  validFor: 'PT30M',
  origin: { kind: 'schedule', name: 'weeknights' },
};

/** Both stacks of a stage that this version of the product deployed. */
export function cliTemplates(stage: string, version: string): Templates {
  const names = stackNames(stage);
  return {
    [names.state]: {
      Resources: {
        ...state,
        Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'outcomes' } },
        Weeknights: schedule(stage, 'weeknights', { Arn: arn('Commands'), Input: JSON.stringify(weeknights) }),
        PollVendor: schedule(
          stage,
          'poll-vendor',
          { Arn: arn('Poll'), Input: '{"watch":"vendor"}' },
          'rate(15 minutes)',
        ),
      },
      Outputs: {
        LedgerTableName: { Value: ref('Ledger') },
        ObservedLedgerTableName: { Value: ref('Ledger') },
        BucketName: { Value: ref('Bucket') },
        TokenSecretArn: { Value: ref('Token') },
        EventBusName: { Value: ref('Bus') },
        ...Object.fromEntries(queues.slice(0, 3).map((name) => [`${name}QueueUrl`, { Value: ref(name) }])),
        ...Object.fromEntries(queues.map((name) => [`${name}DeadLetterQueueUrl`, { Value: ref(`${name}Dead`) }])),
      },
    },
    [names.workers]: {
      Resources: {
        Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: scheduleGroupName(stage) } },
        Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
        Answer: functionOf('Role'),
        Update: functionOf('Role'),
      },
      Outputs: {
        Mode: { Value: 'act' },
        Timezone: { Value: 'Europe/Dublin' },
        ScheduleGroupName: { Value: scheduleGroupName(stage) },
        CommandSchedulesRoleArn: { Value: arn('Role') },
        AnswerQuestionsFunctionArn: { Value: arn('Answer') },
        UpdateCampaignRunsFunctionArn: { Value: arn('Update') },
        AlarmTopicArn: { Value: 'arn:aws:sns:eu-west-1:000000000000:alarms' },
        AutopilotVersion: { Value: version },
      },
    },
  };
}
