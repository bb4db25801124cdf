/**
 * The properties that the runner does something with, a row for each resource type. What a row does
 * not name is listed at the start of a stage: on AWS it has an effect.
 */
import * as z from 'zod';
import type { ResolvedResource } from './assembly.ts';

const any = z.unknown().optional();

/** An object with these members and no others; a member is a name, or a name with what is inside. */
function row(names: string, inside: Readonly<Record<string, z.ZodType>> = {}): z.ZodType {
  const plain = Object.fromEntries(names.split(' ').map((name) => [name, any]));
  const nested = Object.fromEntries(Object.entries(inside).map(([name, schema]) => [name, schema.optional()]));
  return z.strictObject({ ...plain, ...nested });
}

/** One row, or a list of them, or a text that holds JSON. */
const each = (schema: z.ZodType): z.ZodType => z.union([z.array(schema), schema, z.string()]);

const index = each(row('IndexName KeySchema Projection'));

const table = row('TableName AttributeDefinitions KeySchema BillingMode', {
  GlobalSecondaryIndexes: index,
  LocalSecondaryIndexes: index,
  TimeToLiveSpecification: row('AttributeName Enabled'),
});

const deadLetter = row('Arn');

/** A row for each type that is not inert. */
export const propertyRows: Readonly<Record<string, z.ZodType>> = {
  'AWS::SQS::Queue': row(
    'QueueName VisibilityTimeout DelaySeconds MessageRetentionPeriod ReceiveMessageWaitTimeSeconds FifoQueue SqsManagedSseEnabled MaximumMessageSize',
    { RedrivePolicy: each(row('deadLetterTargetArn maxReceiveCount')) },
  ),
  'AWS::SQS::QueuePolicy': row('Queues PolicyDocument'),
  'AWS::S3::Bucket': row('BucketName', {
    VersioningConfiguration: row('Status'),
    NotificationConfiguration: row('', {
      QueueConfigurations: each(row('Event Queue', { Filter: row('', { S3Key: row('Rules') }) })),
    }),
  }),
  'AWS::S3::BucketPolicy': row('Bucket PolicyDocument'),
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::SecretsManager::Secret': row('Name SecretString GenerateSecretString'),
  'AWS::SecretsManager::ResourcePolicy': row('SecretId ResourcePolicy'),
  'AWS::Events::EventBus': row('Name'),
  'AWS::Events::EventBusPolicy': row('EventBusName StatementId Statement'),
  'AWS::Events::Rule': row('Name EventBusName EventPattern State', {
    Targets: each(
      row('Id Arn Input InputPath RoleArn', {
        InputTransformer: row('InputPathsMap InputTemplate'),
        DeadLetterConfig: deadLetter,
      }),
    ),
  }),
  'AWS::Events::Connection': row('Name AuthorizationType AuthParameters'),
  'AWS::Events::ApiDestination': row('Name ConnectionArn HttpMethod InvocationEndpoint'),
  'AWS::IAM::Role': row('RoleName Path AssumeRolePolicyDocument Policies ManagedPolicyArns'),
  'AWS::IAM::ManagedPolicy': row('ManagedPolicyName Path PolicyDocument Roles'),
  'AWS::IAM::Policy': row('PolicyName PolicyDocument Roles'),
  'AWS::Lambda::Function': row('FunctionName Handler MemorySize Role Runtime Timeout', {
    Code: row('S3Bucket S3Key'),
    Environment: row('Variables'),
    LoggingConfig: row('LogGroup'),
  }),
  'AWS::Lambda::Permission': row('FunctionName Action Principal SourceArn SourceAccount'),
  'AWS::Lambda::EventInvokeConfig': row('FunctionName Qualifier MaximumRetryAttempts MaximumEventAgeInSeconds'),
  'AWS::Lambda::EventSourceMapping': row(
    'FunctionName EventSourceArn Enabled BatchSize MaximumBatchingWindowInSeconds FunctionResponseTypes FilterCriteria',
    { ScalingConfig: row('MaximumConcurrency') },
  ),
  'AWS::Scheduler::Schedule': row(
    'Name GroupName ScheduleExpression ScheduleExpressionTimezone StartDate EndDate State ActionAfterCompletion',
    {
      FlexibleTimeWindow: row('Mode'),
      Target: row('Arn RoleArn Input', {
        DeadLetterConfig: deadLetter,
        RetryPolicy: row('MaximumEventAgeInSeconds MaximumRetryAttempts'),
      }),
    },
  ),
  'AWS::Scheduler::ScheduleGroup': row('Name'),
  'AWS::SNS::Topic': row('TopicName DisplayName'),
  'AWS::SNS::TopicPolicy': row('Topics PolicyDocument'),
};

/** They say something to people, and nothing else. */
const spoken = new Set(['Description', 'Tags']);

/**
 * What resources ask for and nothing here does: `Type: Property, Property`, a line for each type.
 */
export function unsupportedProperties(resources: readonly ResolvedResource[]): readonly string[] {
  const found = new Map<string, Set<string>>();
  for (const { type, properties } of resources) {
    const names = unknownKeys(propertyRows[type]?.safeParse(properties).error?.issues ?? []);
    const known = found.get(type) ?? new Set();
    for (const name of names) if (!spoken.has(name)) found.set(type, known.add(name));
  }
  return [...found].map(([type, names]) => `${type}: ${[...names].toSorted().join(', ')}`);
}

function unknownKeys(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => [...path, key].filter((part) => typeof part === 'string').join('.'));
    // Of the members of a union the first that is an object or a list of them is the one meant.
    return issue.code === 'invalid_union' ? issue.errors.flatMap((errors) => unknownKeys(errors, path)) : [];
  });
}
