/**
 * People of the local run: one for each managed policy of the template, who has that policy and no
 * other. The ids of their access keys are no secret; the secret of each is made of the key of the
 * stage's folder.
 */
import {
  arnOf,
  asList,
  asObject,
  asText,
  type Json,
  type JsonObject,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
  textsOf,
} from '../../template/assembly.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { compilePolicy, policyName, type Statement } from './policy.ts';

/** A person with one managed policy of the template. */
export interface PersonCaller {
  readonly kind: 'person';
  /** The id of the policy's construct: `Reader`. */
  readonly policyName: string;
  readonly policyArn: string;
}

/** The people that can be asked for. */
export interface People {
  /**
   * The person behind an access key; `undefined` for every other key. Throws InvalidClientTokenId
   * for a policy that the template lacks.
   */
  readonly behind: (accessKeyId: string | undefined) => PersonCaller | undefined;
  /** By the name of the policy or by its ARN. */
  readonly find: (policy: string) => PersonCaller;
  readonly statementsOf: (person: PersonCaller) => readonly Statement[];
}

/** What the access key of a person begins with; the name of the policy follows. */
const keyPrefix = 'POLICY-';

/** CDK ends a logical id with a hash of its path. */
const hash = /[0-9A-F]{8}$/;

/** Reads each managed policy of the assembly. */
export function readPeople(assembly: ResolvedAssembly): People {
  const policies = resourcesOfType(assembly, 'AWS::IAM::ManagedPolicy').map((policy) => ({
    person: { kind: 'person', policyName: policy.logicalId.replace(hash, ''), policyArn: arnOf(policy) } as const,
    statements: compilePolicy(policy.properties['PolicyDocument'], `${policy.stackName}/${policy.logicalId}`),
  }));
  const find = (policy: string): PersonCaller => {
    const wanted = policy.toLowerCase();
    const found = policies.find(
      ({ person }) => person.policyName.toLowerCase() === wanted || person.policyArn === policy,
    );
    if (found !== undefined) return found.person;
    const names = policies.map(({ person }) => person.policyName).join(', ') || 'none';
    throw new AwsError('InvalidClientTokenId', `the stage has no policy for people "${policy}": it has ${names}`, {
      status: 403,
    });
  };
  return {
    behind: (accessKeyId = '') =>
      accessKeyId.startsWith(keyPrefix) ? find(accessKeyId.slice(keyPrefix.length)) : undefined,
    find,
    statementsOf: ({ policyArn }) => policies.find(({ person }) => person.policyArn === policyArn)?.statements ?? [],
  };
}

// The roles of the template, each with every policy that stands on it.

/** A role that can be asked. */
export interface Role {
  readonly name: string;
  readonly arn: string;
  /** What it may do. */
  readonly identity: readonly Statement[];
  /** Who may take it on. */
  readonly trust: readonly Statement[];
}

const LOGS = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

/** AWS's own managed policies that the runner knows, by the last part of their ARN. */
const MANAGED_BY_AWS: Readonly<Record<string, readonly string[]>> = {
  AWSLambdaBasicExecutionRole: LOGS,
  AWSLambdaSQSQueueExecutionRole: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', ...LOGS],
  AWSXRayDaemonWriteAccess: [
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
    'xray:GetSamplingRules',
    'xray:GetSamplingTargets',
    'xray:GetSamplingStatisticSummaries',
  ],
};

/** Reads every role of the assembly, by ARN. */
export function readRoles(assembly: ResolvedAssembly): Map<string, Role> {
  return new Map(resourcesOfType(assembly, 'AWS::IAM::Role').map((role) => [arnOf(role), readRole(assembly, role)]));
}

function readRole(assembly: ResolvedAssembly, role: ResolvedResource): Role {
  const { properties } = role;
  const where = `${role.stackName}/${role.logicalId}`;
  if (properties['PermissionsBoundary'] !== undefined)
    throw new Error(`${where}: PermissionsBoundary is not known to the local runner`);
  const inline = asList(properties['Policies']).flatMap((value) => {
    const policy = asObject(value);
    return compilePolicy(policy['PolicyDocument'], `${where}, policy ${policyName(policy, 'inline')}`);
  });
  const managed = textsOf(properties['ManagedPolicyArns']).flatMap((arn) => managedPolicy(assembly, arn, where));
  return {
    name: role.name,
    arn: arnOf(role),
    identity: [...inline, ...managed, ...attachedPolicies(assembly, role)],
    trust: compilePolicy(properties['AssumeRolePolicyDocument'], `${where}, trust policy`),
  };
}

function attachedPolicies(assembly: ResolvedAssembly, role: ResolvedResource): Statement[] {
  const attached = (properties: JsonObject): boolean => textsOf(properties['Roles']).includes(role.name);
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => resourcesOfType(assembly, type))
    .filter((policy) => attached(policy.properties))
    .flatMap((policy) => compilePolicy(policy.properties['PolicyDocument'], `${policy.stackName}/${policy.logicalId}`));
}

function managedPolicy(assembly: ResolvedAssembly, arn: string, where: string): Statement[] {
  const own = resourcesOfType(assembly, 'AWS::IAM::ManagedPolicy').find((policy) => policy.arn === arn);
  if (own !== undefined) return compilePolicy(own.properties['PolicyDocument'], `${own.stackName}/${own.logicalId}`);
  const actions = MANAGED_BY_AWS[arn.split('/').at(-1) ?? ''];
  if (actions === undefined) throw new Error(`${where}: the managed policy ${arn} is not known to the local runner`);
  return compilePolicy({ Statement: [{ Effect: 'Allow', Action: [...actions], Resource: '*' }] }, `${where}, ${arn}`);
}

// The policies that stand on resources (queues, buckets, secrets, buses, topics, functions), by the
// resource's ARN.

/** How each kind of resource policy names its resource, and the place of its document. */
const KINDS: readonly {
  readonly type: string;
  readonly on: string;
  readonly targets: string;
  readonly document: (policy: ResolvedResource) => Json | undefined;
}[] = [
  { type: 'AWS::SQS::QueuePolicy', on: 'AWS::SQS::Queue', targets: 'Queues', document: policyDocument },
  { type: 'AWS::S3::BucketPolicy', on: 'AWS::S3::Bucket', targets: 'Bucket', document: policyDocument },
  { type: 'AWS::SNS::TopicPolicy', on: 'AWS::SNS::Topic', targets: 'Topics', document: policyDocument },
  {
    type: 'AWS::SecretsManager::ResourcePolicy',
    on: 'AWS::SecretsManager::Secret',
    targets: 'SecretId',
    document: ({ properties }) => properties['ResourcePolicy'],
  },
  { type: 'AWS::Events::EventBusPolicy', on: 'AWS::Events::EventBus', targets: 'EventBusName', document: busPolicy },
  { type: 'AWS::Lambda::Permission', on: 'AWS::Lambda::Function', targets: 'FunctionName', document: permission },
];

/** Every statement on resources, by ARN. */
export function readResourcePolicies(assembly: ResolvedAssembly): Map<string, Statement[]> {
  const policies = new Map<string, Statement[]>();
  for (const kind of KINDS) {
    for (const policy of resourcesOfType(assembly, kind.type)) {
      const where = `${policy.stackName}/${policy.logicalId}`;
      const statements = compilePolicy(kind.document(policy), where);
      for (const target of textsOf(policy.properties[kind.targets])) {
        const arn = targetArn(assembly, kind.on, target);
        if (arn === undefined) throw new Error(`${where}: its target ${target} is no ${kind.on} of the template`);
        policies.set(arn, [...(policies.get(arn) ?? []), ...statements]);
      }
    }
  }
  return policies;
}

/** The ARN that carries the policy for a resource: an object's is its bucket's. */
export function policyHolder(resource: string): string {
  if (resource.startsWith('arn:aws:s3:::')) return resource.split('/')[0] ?? resource;
  return resource;
}

function targetArn(assembly: ResolvedAssembly, type: string, target: string): string | undefined {
  return resourcesOfType(assembly, type).find(({ physicalId, arn, name }) => [physicalId, arn, name].includes(target))
    ?.arn;
}

function policyDocument({ properties }: ResolvedResource): Json | undefined {
  return properties['PolicyDocument'];
}

function busPolicy({ properties }: ResolvedResource): Json {
  return { Statement: [asObject(properties['Statement'])] };
}

function permission({ properties }: ResolvedResource): Json {
  const condition: JsonObject = {};
  const sourceArn = asText(properties['SourceArn']);
  const sourceAccount = asText(properties['SourceAccount']);
  if (sourceArn !== undefined) condition['ArnLike'] = { 'aws:SourceArn': sourceArn };
  if (sourceAccount !== undefined) condition['StringEquals'] = { 'aws:SourceAccount': sourceAccount };
  const principal = asText(properties['Principal']) ?? '';
  return {
    Statement: [
      {
        Effect: 'Allow',
        Action: asText(properties['Action']) ?? '',
        Principal: principal.endsWith('.amazonaws.com') ? { Service: principal } : { AWS: principal },
        Condition: condition,
      },
    ],
  };
}
