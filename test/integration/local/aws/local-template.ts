import type { JsonObject } from '#local/template/json.ts';

const arn = (logicalId: string): JsonObject => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const trust = (service: string): JsonObject => ({
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: service } }],
});
const allow = (Service: string, Action: string, Resource: JsonObject): JsonObject => ({
  Effect: 'Allow',
  Action,
  Principal: { Service },
  Resource,
});
const inbox: JsonObject = { 'Fn::Sub': 'arn:aws:s3:::inbox-${AWS::AccountId}' };

/** What the worker's role may do; tests take grants away. */
const WORKER_GRANTS: readonly JsonObject[] = [
  { Effect: 'Allow', Action: ['sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'], Resource: arn('Jobs') },
  { Effect: 'Allow', Action: 's3:GetObject', Resource: { 'Fn::Sub': 'arn:aws:s3:::inbox-${AWS::AccountId}/*' } },
  {
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:Query'],
    Resource: [arn('Ledger'), { 'Fn::Sub': '${Ledger.Arn}/index/*' }],
  },
  { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: { Ref: 'Token' } },
  { Effect: 'Allow', Action: 'events:PutEvents', Resource: arn('Bus') },
];

const state: JsonObject = {
  DeadJobs: { Type: 'AWS::SQS::Queue' },
  Jobs: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: 60,
      RedrivePolicy: { deadLetterTargetArn: arn('DeadJobs'), maxReceiveCount: 2 },
    },
  },
  Heard: { Type: 'AWS::SQS::Queue' },
  JobsPolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'Jobs' }],
      PolicyDocument: {
        Statement: [
          {
            ...allow('s3.amazonaws.com', 'sqs:SendMessage', arn('Jobs')),
            Condition: {
              ArnEquals: { 'aws:SourceArn': inbox },
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
            },
          },
        ],
      },
    },
  },
  HeardPolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'Heard' }],
      PolicyDocument: { Statement: [allow('events.amazonaws.com', 'sqs:SendMessage', arn('Heard'))] },
    },
  },
  Inbox: {
    Type: 'AWS::S3::Bucket',
    Properties: {
      BucketName: { 'Fn::Sub': 'inbox-${AWS::AccountId}' },
      VersioningConfiguration: { Status: 'Enabled' },
      NotificationConfiguration: {
        QueueConfigurations: [
          {
            Event: 's3:ObjectCreated:*',
            Queue: arn('Jobs'),
            Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'datasets/' }] } },
          },
          {
            Event: 's3:ObjectRemoved:*',
            Queue: arn('Heard'),
            Filter: { S3Key: { Rules: [{ Name: 'suffix', Value: '.secret' }] } },
          },
        ],
      },
    },
  },
  Plain: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'plain' } },
  Ledger: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'open'].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'open',
          KeySchema: [{ AttributeName: 'open', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    },
  },
  Token: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'gateway-token' } },
  Alarms: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'alarms' } },
  AlarmMail: {
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint: 'soc@example.com' },
  },
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'outcomes' } },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: { Ref: 'Bus' },
      EventPattern: { source: ['autopilot'], detail: { outcome: [{ prefix: 'park' }] } },
      Targets: [{ Id: 'Heard', Arn: arn('Heard') }],
    },
  },
  AlarmsPolicy: {
    Type: 'AWS::SNS::TopicPolicy',
    Properties: {
      Topics: [{ Ref: 'Alarms' }],
      PolicyDocument: { Statement: [allow('events.amazonaws.com', 'sns:Publish', { Ref: 'Alarms' })] },
    },
  },
  RingRule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: { Ref: 'Bus' },
      EventPattern: { source: ['ring'] },
      Targets: [{ Id: 'Alarms', Arn: { Ref: 'Alarms' } }],
    },
  },
};

const workers = (grants: readonly JsonObject[]): JsonObject => ({
  WorkerRole: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust('lambda.amazonaws.com') } },
  ClockRole: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust('scheduler.amazonaws.com') } },
  WorkerPolicy: {
    Type: 'AWS::IAM::Policy',
    Properties: { PolicyName: 'worker', Roles: [{ Ref: 'WorkerRole' }], PolicyDocument: { Statement: [...grants] } },
  },
  Worker: {
    Type: 'AWS::Lambda::Function',
    Properties: { Role: arn('WorkerRole'), Runtime: 'nodejs24.x', Handler: 'handler.handler', Timeout: 30 },
  },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: { Ref: 'Worker' }, EventSourceArn: arn('Jobs'), BatchSize: 10 },
  },
  Nightly: {
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      Name: 'nightly',
      ScheduleExpression: 'cron(0 22 ? * MON-FRI *)',
      ScheduleExpressionTimezone: 'Europe/Dublin',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: arn('Jobs'), RoleArn: arn('WorkerRole'), Input: '{"action":"start"}' },
    },
  },
});

/** The template, with the worker's grants as given. */
export function localTemplate(grants: readonly JsonObject[] = WORKER_GRANTS): JsonObject {
  return {
    Resources: { ...state, ...workers(grants) },
    Outputs: { BucketName: { Value: { Ref: 'Inbox' } }, JobsUrl: { Value: { Ref: 'Jobs' } } },
  };
}
