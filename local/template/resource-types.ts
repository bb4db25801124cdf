/**
 * How each resource type that the runner knows is named, what its ARN looks like, and what `Ref`
 * and `Fn::GetAtt` give. A type that is not in this table is reported as unsupported by its type
 * and logical id.
 */
import { createHash } from 'node:crypto';

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

/** What names and ARNs are made of. */
interface Named {
  readonly name: string;
  /** Region and account, with the colon between them. */
  readonly place: string;
  readonly accountId: string;
  readonly endpoint: string;
  /** The bus of a rule, the group of a schedule. */
  readonly parent: string;
  /** For what AWS draws at random: always the same for a name. */
  readonly uuid: string;
}

/** One row of the table. */
export interface ResourceType {
  /** The property that declares the physical name, if the type has one. */
  readonly nameProperty?: string;
  /** The property that names its bus or its group. */
  readonly parentProperty?: string;
  /** The longest name that AWS takes. @default 255 */
  readonly maxNameLength?: number;
  /** Bucket names are lower case. @default false */
  readonly lowerCase?: boolean;
  /** Nothing happens locally for this type. @default false */
  readonly inert?: boolean;
  /** Its ARN without `arn:aws:`. @default it has none */
  readonly arn?: (its: Named) => string;
  /** @default the name */
  readonly ref?: (its: Named & { readonly arn: string }) => string;
  /** Attributes beside the ARN. */
  readonly attributes?: (name: string) => Readonly<Record<string, string>>;
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

const inert: ResourceType = { inert: true };

/** Policies and permissions: read by the IAM room, nothing of their own. */
const policy: ResourceType = {};

const byArn: ResourceType['ref'] = ({ arn }) => arn;
const byUuid: ResourceType['ref'] = ({ uuid }) => uuid;

/** Every type that the runner knows. */
export const RESOURCE_TYPES: Readonly<Record<string, ResourceType>> = {
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    maxNameLength: 80,
    arn: ({ place, name }) => `sqs:${place}:${name}`,
    ref: ({ endpoint, accountId, name }) => `${endpoint}/${accountId}/${name}`,
    attributes: (QueueName) => ({ QueueName }),
  },
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    maxNameLength: 63,
    lowerCase: true,
    arn: ({ name }) => `s3:::${name}`,
  },
  'AWS::DynamoDB::Table': { nameProperty: 'TableName', arn: ({ place, name }) => `dynamodb:${place}:table/${name}` },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    // Grants by name end in `-??????`, so the suffix must have six characters like the real one.
    arn: ({ place, name }) => `secretsmanager:${place}:secret:${name}-${stableSuffix(name, 6)}`,
    ref: byArn,
  },
  'AWS::Events::EventBus': { nameProperty: 'Name', arn: ({ place, name }) => `events:${place}:event-bus/${name}` },
  'AWS::Events::Rule': {
    nameProperty: 'Name',
    parentProperty: 'EventBusName',
    maxNameLength: 64,
    // EventBridge User Guide, "ARNs": the rules of the default bus have no bus in their ARN.
    arn: ({ place, name, parent }) =>
      `events:${place}:rule/${parent === 'default' ? '' : `${parent.split('/').at(-1)}/`}${name}`,
  },
  // EventBridge ends the ARNs of connections and API destinations with an id of its own.
  'AWS::Events::Connection': {
    nameProperty: 'Name',
    maxNameLength: 64,
    arn: ({ place, name, uuid }) => `events:${place}:connection/${name}/${uuid}`,
  },
  'AWS::Events::ApiDestination': {
    nameProperty: 'Name',
    maxNameLength: 64,
    arn: ({ place, name, uuid }) => `events:${place}:api-destination/${name}/${uuid}`,
  },
  'AWS::IAM::Role': {
    nameProperty: 'RoleName',
    maxNameLength: 64,
    arn: ({ accountId, name }) => `iam::${accountId}:role/${name}`,
    attributes: (name) => ({ RoleId: roleIdOf(name) }),
  },
  'AWS::IAM::ManagedPolicy': {
    nameProperty: 'ManagedPolicyName',
    maxNameLength: 128,
    arn: ({ accountId, name }) => `iam::${accountId}:policy/${name}`,
    ref: byArn,
  },
  'AWS::IAM::Policy': policy,
  'AWS::SQS::QueuePolicy': policy,
  'AWS::S3::BucketPolicy': policy,
  'AWS::SecretsManager::ResourcePolicy': policy,
  'AWS::SNS::TopicPolicy': policy,
  'AWS::Lambda::Permission': policy,
  'AWS::Lambda::Function': {
    nameProperty: 'FunctionName',
    maxNameLength: 64,
    arn: ({ place, name }) => `lambda:${place}:function:${name}`,
  },
  'AWS::Lambda::EventSourceMapping': {
    arn: ({ place, uuid }) => `lambda:${place}:event-source-mapping:${uuid}`,
    ref: byUuid,
  },
  'AWS::Scheduler::Schedule': {
    nameProperty: 'Name',
    parentProperty: 'GroupName',
    maxNameLength: 64,
    arn: ({ place, parent, name }) => `scheduler:${place}:schedule/${parent}/${name}`,
  },
  'AWS::Scheduler::ScheduleGroup': {
    nameProperty: 'Name',
    maxNameLength: 64,
    arn: ({ place, name }) => `scheduler:${place}:schedule-group/${name}`,
  },
  'AWS::SNS::Topic': { nameProperty: 'TopicName', arn: ({ place, name }) => `sns:${place}:${name}`, ref: byArn },
  // What is encrypted with a key lies here as it is, as does what is encrypted with the keys of the
  // services.
  'AWS::KMS::Key': { inert: true, arn: ({ place, uuid }) => `kms:${place}:key/${uuid}`, ref: byUuid },
  // Known, and nothing to do for them on one machine: logs are captured from the processes, alarms
  // ring nowhere, and no e-mail address subscribes.
  'AWS::Logs::LogGroup': {
    nameProperty: 'LogGroupName',
    inert: true,
    arn: ({ place, name }) => `logs:${place}:log-group:${name}:*`,
  },
  'AWS::Logs::QueryDefinition': inert,
  'AWS::CloudWatch::Alarm': {
    nameProperty: 'AlarmName',
    inert: true,
    arn: ({ place, name }) => `cloudwatch:${place}:alarm:${name}`,
  },
  'AWS::CloudWatch::Dashboard': { nameProperty: 'DashboardName', inert: true },
  'AWS::Lambda::EventInvokeConfig': inert,
  'AWS::SNS::Subscription': inert,
  'AWS::CDK::Metadata': inert,
};

/**
 * The identity of a resource.
 * @param wholeName - what it is called if its template declares no name: stable over restarts, cut where AWS would refuse it
 */
export function identify(
  type: ResourceType,
  wholeName: string,
  its: LocalPlace & { readonly name: string | undefined; readonly parent: string | undefined },
): Identity {
  const { region, accountId, endpoint, parent = 'default', name = generatedName(wholeName, type) } = its;
  const named: Named = { name, accountId, endpoint, parent, place: `${region}:${accountId}`, uuid: stableUuid(name) };
  const ownArn = type.arn?.(named);
  const arn = ownArn === undefined ? undefined : `arn:aws:${ownArn}`;
  const attributes = { ...(arn === undefined ? {} : { Arn: arn }), ...type.attributes?.(name) };
  return { name, arn, attributes, ref: type.ref?.({ ...named, arn: arn ?? '' }) ?? name };
}

function generatedName(whole: string, { maxNameLength: limit = 255, lowerCase }: ResourceType): string {
  const name = whole.length <= limit ? whole : `${whole.slice(0, limit - 7)}-${stableSuffix(whole, 6)}`;
  return lowerCase === true ? name.toLowerCase() : name;
}
