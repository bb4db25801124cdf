/**
 * The properties that the runner does something with, a row for each resource type. What a row does
 * not name is listed at the start of a stage: on AWS it has an effect. The operations that make or
 * change such a resource take the same row.
 */
import * as z from 'zod';
import type { ResolvedAssembly, ResolvedResource } from './cloud-assembly.ts';
import { isJsonObject, type JsonObject } from './json.ts';

const any = z.unknown().optional();
const text = z.string();
const texts = list(text);
const document = z.custom<JsonObject>(isJsonObject, 'must be an object');
const isOn = z.strictObject({ Status: z.enum(['Enabled', 'Suspended']) });

/** CloudFormation takes one thing for a list of one. */
function list<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(item));
}

/** A template may write a number as text. */
function within(least: number, most: number, usual: number) {
  const problem = `Must be between ${least} and ${most}.`;
  return z.coerce.number(problem).int(problem).min(least, problem).max(most, problem).default(usual);
}

/** What a template says of a queue, with AWS's defaults and limits (SQS API, SetQueueAttributes). */
export const queueRow = z.strictObject({
  DelaySeconds: within(0, 900, 0),
  MaximumMessageSize: within(1024, 1_048_576, 1_048_576),
  MessageRetentionPeriod: within(60, 1_209_600, 345_600),
  ReceiveMessageWaitTimeSeconds: within(0, 20, 0),
  SqsManagedSseEnabled: any,
  VisibilityTimeout: within(0, 43_200, 30),
});

const index = list(z.strictObject({ IndexName: text, KeySchema: any, Projection: any }));
const keys = z.array(z.strictObject({ AttributeName: text, KeyType: text }));

const deadLetter = z.strictObject({ Arn: text }).optional();

/** What a target gets in place of the event, by paths of keys alone and without variables of EventBridge. */
export const transformerRow = z.strictObject({
  InputPathsMap: z.record(text, text.regex(/^\$(\.[\w-]+)+$/, 'only keys and dots')).default({}),
  InputTemplate: text.refine((template) => !template.includes('<aws.'), 'no variables of EventBridge'),
});

/** A target of a rule. */
export const eventTargetRow = z.strictObject({
  Id: text,
  Arn: text.regex(/^arn:aws:(sqs|lambda|sns|events):/, 'only queues, functions, topics and API destinations'),
  Input: text.optional(),
  RoleArn: text.optional(),
  InputTransformer: transformerRow.optional(),
  DeadLetterConfig: deadLetter,
});

/** A template writes an instant as text, and the protocol in seconds. */
const instant = z
  .union([text, z.number().transform((seconds) => seconds * 1000)])
  .transform((at) => new Date(at))
  .refine((at) => !Number.isNaN(at.getTime()), 'must be a time');

/** A schedule, in a template, CreateSchedule and UpdateSchedule. */
export const scheduleRow = z.strictObject({
  Name: text.optional(),
  Description: text.optional(),
  ClientToken: any,
  GroupName: text.default('default'),
  ScheduleExpression: text,
  ScheduleExpressionTimezone: text.default('UTC'),
  StartDate: instant.optional(),
  EndDate: instant.optional(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).optional(),
  FlexibleTimeWindow: z.strictObject({ Mode: text }),
  Target: z.strictObject({
    Arn: text,
    RoleArn: text,
    Input: text.optional(),
    DeadLetterConfig: deadLetter,
    RetryPolicy: z
      .strictObject({ MaximumEventAgeInSeconds: z.number().optional(), MaximumRetryAttempts: z.number().optional() })
      .optional(),
  }),
});

/** A row for each type that is not inert. */
export const propertyRows = {
  'AWS::SQS::Queue': queueRow.extend({
    QueueName: any,
    FifoQueue: z.literal(false, 'FIFO queues are not emulated').optional(),
    RedrivePolicy: z.strictObject({ deadLetterTargetArn: text, maxReceiveCount: z.number() }).optional(),
  }),
  'AWS::SQS::QueuePolicy': z.strictObject({ Queues: texts, PolicyDocument: document }),
  'AWS::S3::Bucket': z.strictObject({
    BucketName: any,
    VersioningConfiguration: isOn.optional(),
    NotificationConfiguration: z
      .strictObject({
        QueueConfigurations: list(
          z.strictObject({
            Event: text,
            Queue: text,
            Filter: z
              .strictObject({ S3Key: z.strictObject({ Rules: z.array(z.strictObject({ Name: text, Value: text })) }) })
              .optional(),
          }),
        ),
      })
      .optional(),
  }),
  'AWS::S3::BucketPolicy': z.strictObject({ Bucket: text, PolicyDocument: document }),
  'AWS::DynamoDB::Table': z.strictObject({
    TableName: any,
    AttributeDefinitions: any,
    KeySchema: keys,
    BillingMode: any,
    GlobalSecondaryIndexes: index,
    TimeToLiveSpecification: z.strictObject({ AttributeName: text, Enabled: z.boolean() }).optional(),
  }),
  'AWS::SecretsManager::Secret': z.strictObject({ Name: any, SecretString: text.optional() }),
  'AWS::SecretsManager::ResourcePolicy': z.strictObject({ SecretId: text, ResourcePolicy: document }),
  'AWS::Events::EventBus': z.strictObject({ Name: any }),
  'AWS::Events::Rule': z.strictObject({
    Name: any,
    EventBusName: text.optional(),
    EventPattern: document,
    State: text.optional(),
    Targets: list(eventTargetRow),
  }),
  'AWS::Events::Connection': z.strictObject({ Name: any, AuthorizationType: any, AuthParameters: any }),
  'AWS::Events::ApiDestination': z.strictObject({
    Name: any,
    ConnectionArn: any,
    HttpMethod: z.literal('POST'),
    InvocationEndpoint: any,
  }),
  'AWS::IAM::Role': z.strictObject({ RoleName: any, AssumeRolePolicyDocument: document }),
  'AWS::IAM::ManagedPolicy': z.strictObject({ ManagedPolicyName: any, Path: any, PolicyDocument: document }),
  'AWS::IAM::Policy': z.strictObject({ PolicyName: any, PolicyDocument: document, Roles: texts }),
  'AWS::Lambda::Function': z.strictObject({
    FunctionName: any,
    Handler: text,
    MemorySize: z.number().default(128),
    Role: text,
    Runtime: text,
    Timeout: z.number().default(3),
    Code: z.strictObject({ S3Bucket: any, S3Key: text }).optional(),
    Environment: z.strictObject({ Variables: z.record(text, z.coerce.string()) }).optional(),
    LoggingConfig: z.strictObject({ LogGroup: text.optional() }).optional(),
  }),
  'AWS::Lambda::Permission': z.strictObject({
    FunctionName: text,
    Action: text,
    Principal: text,
    SourceArn: text.optional(),
    SourceAccount: text.optional(),
  }),
  'AWS::Lambda::EventInvokeConfig': z.strictObject({
    FunctionName: text,
    Qualifier: any,
    MaximumRetryAttempts: z.number().optional(),
    MaximumEventAgeInSeconds: z.number().optional(),
  }),
  'AWS::Lambda::EventSourceMapping': z.strictObject({
    FunctionName: text,
    EventSourceArn: text,
    Enabled: z.boolean().default(true),
    BatchSize: z.number().default(10),
    MaximumBatchingWindowInSeconds: z.number().default(0),
    FunctionResponseTypes: texts,
    ScalingConfig: z.strictObject({ MaximumConcurrency: z.number() }).optional(),
  }),
  'AWS::Scheduler::Schedule': scheduleRow,
  'AWS::Scheduler::ScheduleGroup': z.strictObject({ Name: any }),
  'AWS::SNS::Topic': z.strictObject({ TopicName: any, DisplayName: any }),
  'AWS::SNS::TopicPolicy': z.strictObject({ Topics: texts, PolicyDocument: document }),
} as const;

/** What the rows make of the properties, by type. */
type Properties = { readonly [Type in keyof typeof propertyRows]: z.output<(typeof propertyRows)[Type]> };

const rows: { readonly [Type in keyof Properties]: z.ZodType<Properties[Type]> } = propertyRows;

/** A resource with what its row makes of its properties. */
export type TypedResource<Type extends keyof Properties> = ResolvedResource & { readonly typed: Properties[Type] };

/** The resources of one type, in the order of the template. */
export function typedResources<Type extends keyof Properties>(
  { resources }: Pick<ResolvedAssembly, 'resources'>,
  type: Type,
): readonly TypedResource<Type>[] {
  return resources
    .filter((resource) => resource.type === type)
    .map((resource) => ({ ...resource, typed: read(resource, rows[type]).typed }));
}

/** They say something to people, and nothing else. */
const spoken = new Set(['Description', 'Tags']);

/**
 * What resources ask for and nothing here does: `Type: Property, Property`, a line for each type.
 * @throws Error for a property with a value that its row does not take
 */
export function unsupportedProperties(resources: readonly ResolvedResource[]): readonly string[] {
  const found = new Map<string, Set<string>>();
  for (const resource of resources) {
    const { type } = resource;
    if (!hasRow(type)) continue;
    const names = read<unknown>(resource, rows[type]).unknown.filter((name) => !spoken.has(name));
    if (names.length > 0) found.set(type, new Set([...(found.get(type) ?? []), ...names]));
  }
  return [...found].map(([type, names]) => `${type}: ${[...names].toSorted().join(', ')}`);
}

function hasRow(type: string): type is keyof Properties {
  return Object.hasOwn(propertyRows, type);
}

/** Reads properties by their row; those that it does not name are left out. */
function read<T>(
  { stackName, logicalId, properties }: ResolvedResource,
  row: z.ZodType<T>,
): { readonly typed: T; readonly unknown: readonly string[] } {
  const known = structuredClone(properties);
  const unknown: string[] = [];
  for (;;) {
    const { data, error } = row.safeParse(known);
    if (error === undefined) return { typed: data, unknown };
    for (const issue of error.issues) {
      if (issue.code !== 'unrecognized_keys')
        throw new Error(`${stackName}/${logicalId}: ${issue.path.join('.')}: ${issue.message}`);
      unknown.push(...issue.keys.map((key) => namesIn([...issue.path, key])));
      const holder = issue.path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), known);
      for (const key of issue.keys) Reflect.deleteProperty(Object(holder), key);
    }
  }
}

/** Without the places in lists. */
function namesIn(path: readonly PropertyKey[]): string {
  return path.filter((part) => typeof part === 'string').join('.');
}
