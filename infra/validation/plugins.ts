import type { IPolicyValidationPlugin } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { HouseRules } from './house-rules.ts';

/** Whoever judges a stage, beside CloudFormation's own rules. cdk-nag loads the whole of the CDK: imported only where something is judged. */
export function validationPlugins(): IPolicyValidationPlugin[] {
  return [new AwsSolutionsChecks(), new ServerlessChecks(), new HouseRules()];
}
