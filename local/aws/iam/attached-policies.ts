/**
 * People of the local run: one for each managed policy of the template, who has that policy and no
 * other. The ids of their access keys are no secret; the secret of each is made of the key of the
 * stage's folder.
 */
import { arnOf, type ResolvedAssembly, type ResolvedResource } from '../../template/cloud-assembly.ts';
import type { JsonObject } from '../../template/json.ts';
import { type TypedResource, typedResources } from '../../template/resource-properties.ts';
import { AwsError } from '../aws-error.ts';
import { compilePolicy, type Statement } from './policy.ts';

/** A person with one managed policy of the template. */
export interface PersonCaller {
  readonly kind: 'person';
  /** The id of the policy's construct: `Reader`. */
  readonly policyName: string;
  readonly policyArn: string;
  readonly statements: readonly Statement[];
}

/** CDK ends a logical id with a hash of its path. */
const hash = /[0-9A-F]{8}$/;

/**
 * Reads each managed policy of the assembly.
 * @returns finds a person by the name of the policy or by its ARN; throws InvalidClientTokenId if
 * the template lacks it
 */
export function readPeople(assembly: ResolvedAssembly): (policy: string) => PersonCaller {
  const people = typedResources(assembly, 'AWS::IAM::ManagedPolicy').map((policy): PersonCaller => {
    const statements = compilePolicy(policy.typed.PolicyDocument, whereOf(policy));
    return { kind: 'person', policyName: policy.logicalId.replace(hash, ''), policyArn: arnOf(policy), statements };
  });
  return (policy) => {
    const wanted = policy.toLowerCase();
    const found = people.find((one) => one.policyName.toLowerCase() === wanted || one.policyArn === policy);
    if (found !== undefined) return found;
    const names = people.map(({ policyName }) => policyName).join(', ') || 'none';
    throw new AwsError('InvalidClientTokenId', `the stage has no policy for people "${policy}": it has ${names}`, 403);
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
  const attached = typedResources(assembly, 'AWS::IAM::Policy').map((policy) => ({
    roles: policy.typed.Roles,
    statements: compilePolicy(policy.typed.PolicyDocument, whereOf(policy)),
  }));
  const roles = typedResources(assembly, 'AWS::IAM::Role').map((role): Role => {
    const { name, typed, properties } = role;
    // Passed over, it would be a permission invented.
    if (properties['PermissionsBoundary'] !== undefined)
      throw new Error(`${whereOf(role)}: PermissionsBoundary is not known to the local runner`);
    const identity = attached.filter((policy) => policy.roles.includes(name)).flatMap(({ statements }) => statements);
    const trust = compilePolicy(typed.AssumeRolePolicyDocument, `${whereOf(role)}, trust policy`);
    return { name, arn: arnOf(role), identity, trust };
  });
  return new Map(roles.map((role) => [role.arn, role]));
}

function whereOf({ stackName, logicalId }: ResolvedResource): string {
  return `${stackName}/${logicalId}`;
}

// The policies that stand on resources (queues, buckets, secrets, topics, functions), by the
// resource's ARN.

/** Every statement on resources, by ARN. */
export function readResourcePolicies(assembly: ResolvedAssembly): Map<string, Statement[]> {
  const policies = new Map<string, Statement[]>();
  const add = (policy: ResolvedResource, document: JsonObject, targets: readonly string[]): void => {
    for (const target of targets) {
      const arn = assembly.resources.find((one) => one.physicalId === target || one.arn === target)?.arn;
      if (arn === undefined) throw new Error(`${whereOf(policy)}: its target ${target} is not in the template`);
      policies.set(arn, [...(policies.get(arn) ?? []), ...compilePolicy(document, whereOf(policy))]);
    }
  };
  for (const one of typedResources(assembly, 'AWS::SQS::QueuePolicy'))
    add(one, one.typed.PolicyDocument, one.typed.Queues);
  for (const one of typedResources(assembly, 'AWS::S3::BucketPolicy'))
    add(one, one.typed.PolicyDocument, [one.typed.Bucket]);
  for (const one of typedResources(assembly, 'AWS::SNS::TopicPolicy'))
    add(one, one.typed.PolicyDocument, one.typed.Topics);
  for (const one of typedResources(assembly, 'AWS::SecretsManager::ResourcePolicy'))
    add(one, one.typed.ResourcePolicy, [one.typed.SecretId]);
  for (const one of typedResources(assembly, 'AWS::Lambda::Permission'))
    add(one, { Statement: [permission(one.typed)] }, [one.typed.FunctionName]);
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
