/** The roles of the template, each with every policy that stands on it. */
import { arnOf, resourcesOfType } from '../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../template/assembly.ts';
import { asList, asObject, textsOf } from '../template/json.ts';
import type { JsonObject } from '../template/json.ts';
import { compilePolicy, policyName } from './policy.ts';
import type { Statement } from './policy.ts';

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
