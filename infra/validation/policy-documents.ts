import { type Json, listOf, at } from './read-template.ts';
import type { Located, StageModel } from './stage-model.ts';

/** Where a resource type has its policy, and what the policy is about. */
interface PolicyProperty {
  readonly property: string;
  /** `role`: what a role or a person may do; `resource`: who may do something to a resource; `trust`: who may take on a role. */
  readonly kind: 'role' | 'resource' | 'trust';
}

const policyProperties: Readonly<Record<string, PolicyProperty>> = {
  'AWS::IAM::Policy': { property: 'PolicyDocument', kind: 'role' },
  'AWS::IAM::ManagedPolicy': { property: 'PolicyDocument', kind: 'role' },
  'AWS::IAM::Role': { property: 'AssumeRolePolicyDocument', kind: 'trust' },
  'AWS::KMS::Key': { property: 'KeyPolicy', kind: 'resource' },
  'AWS::S3::BucketPolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SNS::TopicPolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SQS::QueuePolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SecretsManager::ResourcePolicy': { property: 'ResourcePolicy', kind: 'resource' },
};

/** A statement that allows something. */
export interface AllowStatement {
  readonly located: Located;
  /** `Properties.PolicyDocument.Statement.2` */
  readonly path: string;
  readonly kind: PolicyProperty['kind'];
  readonly statement: Json;
}

/** Every statement of a stage that allows something, the inline policies of roles too. */
export function allowStatements(stage: StageModel): AllowStatement[] {
  return Object.entries(policyProperties).flatMap(([type, { property, kind }]) =>
    stage.ofType(type).flatMap((located) => {
      const { Properties } = located.resource;
      const inline = listOf(Properties['Policies']).flatMap((policy, index) =>
        allowing(located, `Properties.Policies.${index}.PolicyDocument`, 'role', at(policy, 'PolicyDocument')),
      );
      return [...allowing(located, `Properties.${property}`, kind, Properties[property]), ...inline];
    }),
  );
}

function allowing(
  located: Located,
  path: string,
  kind: PolicyProperty['kind'],
  document: Json | undefined,
): AllowStatement[] {
  return listOf(at(document, 'Statement')).flatMap((statement, index) =>
    at(statement, 'Effect') === 'Allow' ? [{ located, path: `${path}.Statement.${index}`, kind, statement }] : [],
  );
}
