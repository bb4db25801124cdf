import { Stack, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { flatText } from './read-template.ts';

/** Says why a resource of a policy is not named exactly, to both who ask: cdk-nag and our own rule. Another wildcard beside it is still found. */
export function acknowledgeWildcard(scope: IConstruct, resourceArn: string, reason: string): void {
  const which = `Resource::${flatText(Stack.of(scope).resolve(resourceArn))}`;
  Validations.of(scope).acknowledge(
    { id: `AwsSolutions::AwsSolutions-IAM5[${which}]`, reason },
    { id: `Autopilot::no-wildcard[${which}]`, reason },
  );
}
