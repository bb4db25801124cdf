/**
 * How each resource type that the runner knows is named, what its ARN looks like, and what `Ref`
 * and `Fn::GetAtt` give. A type that is not in this table is reported as unsupported by its type
 * and logical id.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from './assembly.ts';

/** A resource's place on this machine. */
export interface LocalPlace {
  readonly region: string;
  readonly accountId: string;
  readonly endpoint: string;
}

/** What a resource is called once deployed. */
export interface Identity {
  readonly name: string;
  readonly ref: string;
  readonly arn?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** One row of the table. */
export interface ResourceType {
  /** The property that declares the physical name, if the type has one. */
  readonly nameProperty?: string;
  /** The longest name that AWS takes. @default 255 */
  readonly maxNameLength?: number;
  /** Bucket names are lower case. @default false */
  readonly lowerCase?: boolean;
  /** Nothing happens locally for this type. @default false */
  readonly inert?: boolean;
  /** Properties other than the name that decide the identity. */
  readonly identityProperties?: readonly string[];
  readonly identify: (name: string, place: LocalPlace, properties: JsonObject) => Omit<Identity, 'name'>;
}

/** A short text that stays the same for the same seed, for suffixes that AWS draws at random. */
function stableSuffix(seed: string, length: number): string {
  return createHash('sha256')
    .update(seed)
    .digest('base64')
    .replaceAll(/[^a-zA-Z0-9]/g, '')
    .slice(0, length);
}

/** The unique id of a role, by its name: what SQS knows a sender by. */
export function roleIdOf(roleName: string): string {
  return `AROA${stableSuffix(roleName, 17).toUpperCase()}`;
}

function stableUuid(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const named =
  (service: string, path: string): ResourceType['identify'] =>
  (name, { region, accountId }) => {
    const arn = `arn:aws:${service}:${region}:${accountId}:${path}${name}`;
    return { ref: name, arn, attributes: { Arn: arn, Name: name, Id: name } };
  };

/** EventBridge ends the ARNs of connections and API destinations with an id of its own. */
const namedWithUuid =
  (kind: string): ResourceType['identify'] =>
  (name, { region, accountId }) => {
    const arn = `arn:aws:events:${region}:${accountId}:${kind}/${name}/${stableUuid(name)}`;
    return { ref: name, arn, attributes: { Arn: arn } };
  };

const nameOnly: ResourceType['identify'] = (name) => ({ ref: name, attributes: { Id: name } });

const inert: ResourceType = { identify: nameOnly, inert: true };

/** Policies and permissions: read by the IAM room, nothing of their own. */
const policy: ResourceType = { identify: nameOnly };

/** Every type that the runner knows. */
export const RESOURCE_TYPES: Readonly<Record<string, ResourceType>> = {
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    maxNameLength: 80,
    identify: (name, { region, accountId, endpoint }) => {
      const arn = `arn:aws:sqs:${region}:${accountId}:${name}`;
      const url = `${endpoint}/${accountId}/${name}`;
      return { ref: url, arn, attributes: { Arn: arn, QueueName: name, QueueUrl: url } };
    },
  },
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    maxNameLength: 63,
    lowerCase: true,
    identify: (name, { region }) => {
      const arn = `arn:aws:s3:::${name}`;
      const domains = {
        DomainName: `${name}.s3.amazonaws.com`,
        RegionalDomainName: `${name}.s3.${region}.amazonaws.com`,
      };
      return { ref: name, arn, attributes: { Arn: arn, ...domains } };
    },
  },
  'AWS::DynamoDB::Table': { nameProperty: 'TableName', identify: named('dynamodb', 'table/') },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    identify: (name, { region, accountId }) => {
      // Grants by name end in `-??????`, so the suffix must have six characters like the real one.
      const arn = `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${stableSuffix(name, 6)}`;
      return { ref: arn, arn, attributes: { Id: arn, Arn: arn } };
    },
  },
  'AWS::Events::EventBus': { nameProperty: 'Name', identify: named('events', 'event-bus/') },
  'AWS::Events::Rule': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identityProperties: ['EventBusName'],
    identify: (name, place, { EventBusName: bus }) => {
      const busName = typeof bus === 'string' && bus !== 'default' ? `${bus.split('/').at(-1)}/` : '';
      return named('events', `rule/${busName}`)(name, place, {});
    },
  },
  'AWS::Events::Connection': { nameProperty: 'Name', maxNameLength: 64, identify: namedWithUuid('connection') },
  'AWS::Events::ApiDestination': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identify: namedWithUuid('api-destination'),
  },
  'AWS::IAM::Role': {
    nameProperty: 'RoleName',
    maxNameLength: 64,
    identityProperties: ['Path'],
    identify: (name, { accountId }, { Path: path }) => {
      const arn = `arn:aws:iam::${accountId}:role${typeof path === 'string' ? path : '/'}${name}`;
      return { ref: name, arn, attributes: { Arn: arn, RoleId: roleIdOf(name) } };
    },
  },
  'AWS::IAM::ManagedPolicy': {
    nameProperty: 'ManagedPolicyName',
    maxNameLength: 128,
    identify: (name, { accountId }) => {
      const arn = `arn:aws:iam::${accountId}:policy/${name}`;
      return { ref: arn, arn, attributes: { PolicyArn: arn } };
    },
  },
  'AWS::IAM::Policy': policy,
  'AWS::SQS::QueuePolicy': policy,
  'AWS::S3::BucketPolicy': policy,
  'AWS::SecretsManager::ResourcePolicy': policy,
  'AWS::Events::EventBusPolicy': policy,
  'AWS::SNS::TopicPolicy': policy,
  'AWS::Lambda::Permission': policy,
  'AWS::Lambda::Function': {
    nameProperty: 'FunctionName',
    maxNameLength: 64,
    identify: named('lambda', 'function:'),
  },
  'AWS::Lambda::EventSourceMapping': {
    identify: (name, { region, accountId }) => {
      const id = stableUuid(name);
      const arn = `arn:aws:lambda:${region}:${accountId}:event-source-mapping:${id}`;
      return { ref: id, arn, attributes: { Id: id, EventSourceMappingArn: arn } };
    },
  },
  'AWS::Scheduler::Schedule': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identityProperties: ['GroupName'],
    identify: (name, place, { GroupName: group }) =>
      named('scheduler', `schedule/${typeof group === 'string' ? group : 'default'}/`)(name, place, {}),
  },
  'AWS::Scheduler::ScheduleGroup': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identify: named('scheduler', 'schedule-group/'),
  },
  'AWS::SNS::Topic': {
    nameProperty: 'TopicName',
    identify: (name, { region, accountId }) => {
      const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
      return { ref: arn, arn, attributes: { TopicArn: arn, TopicName: name } };
    },
  },
  // What is encrypted with a key lies here as it is, as does what is encrypted with the keys of the
  // services.
  'AWS::KMS::Key': {
    inert: true,
    identify: (name, { region, accountId }) => {
      const id = stableUuid(name);
      const arn = `arn:aws:kms:${region}:${accountId}:key/${id}`;
      return { ref: id, arn, attributes: { Arn: arn, KeyId: id } };
    },
  },
  // Known, and nothing to do for them on one machine: logs are captured from the processes, alarms
  // ring nowhere, and no e-mail address subscribes.
  'AWS::Logs::LogGroup': { nameProperty: 'LogGroupName', inert: true, identify: logGroup },
  'AWS::Logs::QueryDefinition': inert,
  'AWS::CloudWatch::Alarm': { nameProperty: 'AlarmName', inert: true, identify: named('cloudwatch', 'alarm:') },
  'AWS::CloudWatch::Dashboard': { nameProperty: 'DashboardName', inert: true, identify: nameOnly },
  'AWS::Lambda::EventInvokeConfig': inert,
  'AWS::SNS::Subscription': inert,
  'AWS::CDK::Metadata': inert,
};

function logGroup(name: string, { region, accountId }: LocalPlace): Omit<Identity, 'name'> {
  const arn = `arn:aws:logs:${region}:${accountId}:log-group:${name}:*`;
  return { ref: name, arn, attributes: { Arn: arn } };
}

/**
 * The name that a resource gets when its template declares none: stable over restarts, cut where
 * AWS would refuse it.
 */
export function generatedName(stackName: string, logicalId: string, type: ResourceType): string {
  const whole = `${stackName}-${logicalId}`;
  const limit = type.maxNameLength ?? 255;
  const name = whole.length <= limit ? whole : `${whole.slice(0, limit - 7)}-${stableSuffix(whole, 6)}`;
  return type.lowerCase === true ? name.toLowerCase() : name;
}
