import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { type Stack, Tags } from 'aws-cdk-lib/core';
import type { Deployment } from '#shared/config/deployment.ts';

/** Puts what an account's owners ask of everything onto a stack: the boundary on each role, the tags on each resource that takes them. */
export function applyAccountRules(stack: Stack, { permissionsBoundary, tags = {} }: Deployment): void {
  if (permissionsBoundary !== undefined) {
    const policy = ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', permissionsBoundary);
    PermissionsBoundary.of(stack).apply(policy);
  }
  for (const [name, value] of Object.entries(tags)) Tags.of(stack).add(name, value);
}
