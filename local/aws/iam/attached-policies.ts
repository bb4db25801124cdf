/**
 * People of the local run: one for each managed policy of the template, who has that policy and no
 * other. The ids of their access keys are no secret; the secret of each is made of the key of the
 * stage's folder.
 */
import {
  arnOf,
  type JsonObject,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
} from '../../template/assembly.ts';
import { type TypedResource, typedResources } from '../../template/resource-properties.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { compilePolicy, type Statement } from './policy.ts';

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
  const policies = typedResources(assembly, 'AWS::IAM::ManagedPolicy').map((policy) => ({
    person: { kind: 'person', policyName: policy.logicalId.replace(hash, ''), policyArn: arnOf(policy) } as const,
    statements: compilePolicy(policy.typed.PolicyDocument, whereOf(policy)),
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

/** Reads every role of the assembly, by ARN. */
export function readRoles(assembly: ResolvedAssembly): Map<string, Role> {
  const attached = [
    ...typedResources(assembly, 'AWS::IAM::Policy'),
    ...typedResources(assembly, 'AWS::IAM::ManagedPolicy'),
  ].map((policy) => ({ ...policy, statements: compilePolicy(policy.typed.PolicyDocument, whereOf(policy)) }));
  const roles = typedResources(assembly, 'AWS::IAM::Role').map((role): Role => {
    const { name, typed, properties } = role;
    const where = whereOf(role);
    if (properties['PermissionsBoundary'] !== undefined)
      throw new Error(`${where}: PermissionsBoundary is not known to the local runner`);
    const inline = typed.Policies.flatMap(({ PolicyDocument }, index) =>
      compilePolicy(PolicyDocument, `${where}, policy ${index}`),
    );
    const managed = typed.ManagedPolicyArns.flatMap((arn) => {
      const policy = attached.find((one) => one.arn === arn);
      // No role of ours has one of AWS's own.
      if (policy === undefined) throw new Error(`${where}: the managed policy ${arn} is not known to the local runner`);
      return policy.statements;
    });
    const own = attached.filter(({ typed: { Roles } }) => Roles.includes(name)).flatMap(({ statements }) => statements);
    const trust = compilePolicy(typed.AssumeRolePolicyDocument, `${where}, trust policy`);
    return { name, arn: arnOf(role), identity: [...inline, ...managed, ...own], trust };
  });
  return new Map(roles.map((role) => [role.arn, role]));
}

function whereOf({ stackName, logicalId }: ResolvedResource): string {
  return `${stackName}/${logicalId}`;
}

// The policies that stand on resources (queues, buckets, secrets, buses, topics, functions), by the
// resource's ARN.

/** Every statement on resources, by ARN. */
export function readResourcePolicies(assembly: ResolvedAssembly): Map<string, Statement[]> {
  const policies = new Map<string, Statement[]>();
  const add = (policy: ResolvedResource, document: JsonObject, type: string, targets: readonly string[]): void => {
    const statements = compilePolicy(document, whereOf(policy));
    for (const target of targets) {
      const found = resourcesOfType(assembly, type).find(({ physicalId, arn, name }) =>
        [physicalId, arn, name].includes(target),
      );
      if (found?.arn === undefined)
        throw new Error(`${whereOf(policy)}: its target ${target} is no ${type} of the template`);
      policies.set(found.arn, [...(policies.get(found.arn) ?? []), ...statements]);
    }
  };
  for (const one of typedResources(assembly, 'AWS::SQS::QueuePolicy'))
    add(one, one.typed.PolicyDocument, 'AWS::SQS::Queue', one.typed.Queues);
  for (const one of typedResources(assembly, 'AWS::S3::BucketPolicy'))
    add(one, one.typed.PolicyDocument, 'AWS::S3::Bucket', [one.typed.Bucket]);
  for (const one of typedResources(assembly, 'AWS::SNS::TopicPolicy'))
    add(one, one.typed.PolicyDocument, 'AWS::SNS::Topic', one.typed.Topics);
  for (const one of typedResources(assembly, 'AWS::SecretsManager::ResourcePolicy'))
    add(one, one.typed.ResourcePolicy, 'AWS::SecretsManager::Secret', [one.typed.SecretId]);
  for (const one of typedResources(assembly, 'AWS::Events::EventBusPolicy'))
    add(one, { Statement: [one.typed.Statement] }, 'AWS::Events::EventBus', [one.typed.EventBusName]);
  for (const one of typedResources(assembly, 'AWS::Lambda::Permission'))
    add(one, { Statement: [permission(one.typed)] }, 'AWS::Lambda::Function', [one.typed.FunctionName]);
  return policies;
}

/** The ARN that carries the policy for a resource: an object's is its bucket's. */
export function policyHolder(resource: string): string {
  if (resource.startsWith('arn:aws:s3:::')) return resource.split('/')[0] ?? resource;
  return resource;
}

function permission({
  Action,
  Principal,
  SourceArn,
  SourceAccount,
}: TypedResource<'AWS::Lambda::Permission'>['typed']): JsonObject {
  const Condition: JsonObject = {};
  if (SourceArn !== undefined) Condition['ArnLike'] = { 'aws:SourceArn': SourceArn };
  if (SourceAccount !== undefined) Condition['StringEquals'] = { 'aws:SourceAccount': SourceAccount };
  return {
    Effect: 'Allow',
    Action,
    Principal: Principal.endsWith('.amazonaws.com') ? { Service: Principal } : { AWS: Principal },
    Condition,
  };
}
