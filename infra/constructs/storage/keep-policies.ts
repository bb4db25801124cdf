import { CfnBucketPolicy } from 'aws-cdk-lib/aws-s3';
import { CfnResourcePolicy } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { RemovalPolicy, type Stack } from 'aws-cdk-lib/core';

/**
 * Keeps the policies of a stack's buckets, queues and secrets when the stack goes, since what they stand on is kept: a bucket of test files that
 * stays without its policy takes plain HTTP. They go with what they stand on. (What a key or a table refuses is a part of it.)
 */
export function keepPolicies(stack: Stack): void {
  for (const construct of stack.node.findAll()) {
    if (
      construct instanceof CfnBucketPolicy ||
      construct instanceof CfnQueuePolicy ||
      construct instanceof CfnResourcePolicy
    ) {
      construct.applyRemovalPolicy(RemovalPolicy.RETAIN);
    }
  }
}
