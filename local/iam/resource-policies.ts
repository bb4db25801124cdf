/** The policies that stand on resources (queues, buckets, secrets, buses, topics, functions), by the resource's ARN. */
import { resourcesOfType } from '../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../template/assembly.ts';
import { asObject, asText, textsOf } from '../template/json.ts';
import type { Json, JsonObject } from '../template/json.ts';
import { compilePolicy } from './policy.ts';
import type { Statement } from './policy.ts';

/** How each kind of resource policy names what it stands on, and where its document is. */
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
