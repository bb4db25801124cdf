import { AccountRootPrincipal, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnBucketPolicy } from 'aws-cdk-lib/aws-s3';
import { CfnResourcePolicy } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { grantActions, noteGrantReason } from './grant-actions.ts';

export interface EncryptionKeyProps {
  /** For people who look at the account's keys. */
  readonly description: string;
  /** Kept when its stack goes: without it, what it encrypted is gone. */
  readonly isProtected: boolean;
}

/** A customer-managed key for one kind of data, with new material every year. */
export class EncryptionKey extends Key {
  constructor(scope: Construct, id: string, { description, isProtected }: EncryptionKeyProps) {
    super(scope, id, {
      description,
      enableKeyRotation: true,
      removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // A key policy without this can be repaired by AWS support alone.
    noteGrantReason(this, new AccountRootPrincipal().arn, {
      actions: ['kms:*'],
      resourceArns: ['*'],
      why: 'the account rules its own keys; what a role may do with one stands in the policy of that role',
    });
  }
}

/** The condition that a key is used through one service, named by its endpoint, such as `sqs`. */
function throughService(endpoint: string): Record<string, Record<string, string>> {
  return { StringEquals: { 'kms:ViaService': `${endpoint}.${Aws.REGION}.${Aws.URL_SUFFIX}` } };
}

/** Lets a principal use a key, through one service only; does nothing if there is no key. */
export function grantKeyUse(
  keyArn: string | undefined,
  grantee: IGrantable,
  use: { readonly through: string; readonly actions: readonly string[]; readonly why: string },
): void {
  if (keyArn === undefined) return;
  const { through, ...grant } = use;
  grantActions(grantee, { ...grant, resourceArns: [keyArn], conditions: throughService(through) });
}

/** What all that holds data has in common. */
export interface StateProps {
  /** @default a key of its service */
  readonly key?: EncryptionKey | undefined;
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/** Props of the keys of a stage. */
export interface StateKeysProps {
  readonly stage: string;
  readonly isProtected: boolean;
}

/**
 * A key for each kind of data, so that each can be audited and switched off by itself. Bucket and
 * queues could not share one. Its policy would let S3 in for the queues and, by that, for the
 * objects (https://github.com/aws/aws-cdk/issues/17786 shows how such a key also becomes a circle).
 */
export class StateKeys extends Construct {
  readonly ledger: EncryptionKey;
  readonly token: EncryptionKey;
  readonly queues: EncryptionKey;
  /**
   * Of the stage's own bucket. It is there with any bucket: older files of the own one need it to
   * be read.
   */
  readonly bucket: EncryptionKey;

  constructor(scope: Construct, id: string, { stage, isProtected }: StateKeysProps) {
    super(scope, id);
    const key = (keyId: string, what: string) =>
      new EncryptionKey(this, keyId, { description: `${what} of Gateway Autopilot (${stage})`, isProtected });
    this.ledger = key('Ledger', 'Ledger');
    this.token = key('Token', 'Gateway token');
    this.queues = key('Queues', 'Queues');
    this.bucket = key('Bucket', 'Uploads');
    // The workers import it while they read the stage's own bucket. Its export outlives that.
    // CloudFormation deploys this stack first and removes no export in use, so without it a stage
    // could not change to an existing bucket.
    Stack.of(this).exportValue(this.bucket.keyArn);
  }
}

/**
 * Keeps the policies of a stack's buckets, queues and secrets when the stack goes, since the
 * resources are kept. A bucket of test files without its policy takes plain HTTP. They go with what
 * they stand on. (What a key or a table refuses is a part of it.)
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
