import type { Role } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Deployment } from '#shared/config/deployment.ts';
import { grantActions } from './grant-actions.ts';

/**
 * Puts a function into subnets that exist already, by their ids: nothing is looked up, so that the synthesis needs no account.
 *
 * Lambda makes the network interfaces in the name of the function's role. What the function's own code asks for carries
 * `lambda:SourceFunctionArn`, which the condition leaves out: the permission is for Lambda alone (serverless-patterns of AWS, "Deny access to
 * networking management from function code"; theirs is a Deny by the ARN of the function, which here would wait for its own role).
 */
export function attachToVpc(
  lambdaFunction: LambdaFunction,
  role: Role,
  { subnetIds, securityGroupIds }: NonNullable<Deployment['vpc']>,
): void {
  grantActions(role, {
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resourceArns: ['*'],
    wildcard: 'an interface has no id before it is made, and EC2 describes all or none',
    conditions: { Null: { 'lambda:SourceFunctionArn': 'true' } },
    why: 'Lambda itself puts the function into its subnets; the code of the function may not',
  });
  const resource = lambdaFunction.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error('the function has no resource');
  resource.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] };
}
