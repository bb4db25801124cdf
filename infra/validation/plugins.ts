import type { IPolicyValidationPlugin } from 'aws-cdk-lib/core';
import { isInstalled } from '#shared/places.ts';
import { HouseRules } from './house-rules.ts';

/**
 * The rules that judge a stage, beside CloudFormation's own. The installed package has neither
 * those nor cdk-nag, 40 MB together. This repository's tests judge every option with them (ADR 51).
 * The whole CDK comes with cdk-nag, so it is imported only to judge something.
 */
export async function validationPlugins(): Promise<IPolicyValidationPlugin[]> {
  if (isInstalled) return [new HouseRules()];
  const { AwsSolutionsChecks, ServerlessChecks } = await import('cdk-nag');
  return [new AwsSolutionsChecks(), new ServerlessChecks(), new HouseRules()];
}
