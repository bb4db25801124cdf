import { Grant, type IGrantable, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stack, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** Actions on resources, and why they are allowed. */
export interface ReasonedGrant {
  readonly actions: readonly string[];
  readonly resourceArns: readonly string[];
  /** Why a resource is not named exactly. Without it a wildcard is a finding. */
  readonly wildcard?: string;
  /** For a reviewer: what it is needed for, in a few words of Markdown. */
  readonly why: string;
}

/**
 * The type of the metadata that carries a reason into the cloud assembly; the table of
 * docs/security.md is made from it.
 */
export const grantReasonType = 'gateway-autopilot:grant-reason';

/**
 * Lets a role of the stage, or the people with a policy of the stage, do something, and notes why.
 * @example grantActions(worker, { actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn], why: 'the commands of a plan' });
 * @throws Error for a grantee that is neither
 */
export function grantActions(
  grantee: IGrantable,
  grant: ReasonedGrant & { readonly conditions?: Record<string, Record<string, unknown>> },
): Grant {
  const holder = holderOf(grantee, grant);
  noteGrantReason(holder, holder instanceof Role ? holder.roleName : holder.managedPolicyArn, grant);
  const { wildcard: reason, resourceArns } = grant;
  if (reason !== undefined) {
    // Each alone: another wildcard beside it is still found.
    const ids = resourceArns.map((arn) => `Resource::${flatText(Stack.of(holder).resolve(arn))}`);
    Validations.of(holder).acknowledge(...ids.map((id) => ({ id: `AwsSolutions::AwsSolutions-IAM5[${id}]`, reason })));
  }
  return Grant.addToPrincipal({
    grantee,
    actions: [...grant.actions],
    resourceArns: [...resourceArns],
    conditions: grant.conditions,
  });
}

function holderOf(grantee: IGrantable, { actions }: ReasonedGrant): Role | ManagedPolicy {
  if (grantee instanceof ManagedPolicy) return grantee;
  const { grantPrincipal: role } = grantee;
  if (role instanceof Role) return role;
  throw new Error(`${actions.join(', ')}: only a role or a policy of the stage is granted anything`);
}

/**
 * Notes why a policy that is written out by hand allows what it does. A test holds that each
 * statement has its reason.
 * @param scope - the construct that the policy stands on
 * @param to - the service of a resource's policy, or the `Ref` of a role or of a policy for people
 */
export function noteGrantReason(scope: Construct, to: string, { actions, resourceArns, why }: ReasonedGrant): void {
  scope.node.addMetadata(grantReasonType, { to, actions, resources: resourceArns, why });
}

/**
 * The statement of a resource's policy that lets a service do something, with its reason noted.
 * @param on - the construct that the policy stands on
 */
export function letService(
  on: Construct,
  service: string,
  {
    sid,
    conditions,
    ...grant
  }: ReasonedGrant & { readonly sid: string; readonly conditions?: Record<string, Record<string, string>> },
): PolicyStatement {
  noteGrantReason(on, service, grant);
  const { actions, resourceArns } = grant;
  const principals = [new ServicePrincipal(service)];
  return new PolicyStatement({ sid, principals, actions: [...actions], resources: [...resourceArns], conditions });
}

/**
 * A value of a template in one line, references in angle brackets, as cdk-nag names what it found:
 * `arn:<AWS::Partition>:s3:::name/*`.
 */
export function flatText(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('${', '<').replaceAll('}', '>');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const [[name, inner] = ['', undefined]] = Object.entries(value);
  if (name === 'Fn::Join' && Array.isArray(inner)) return inner[1].map(flatText).join(flatText(inner[0]));
  if (name === 'Fn::GetAtt' && Array.isArray(inner)) return `<${inner.map(flatText).join('.')}>`;
  return name === 'Ref' ? `<${inner}>` : flatText(inner);
}
