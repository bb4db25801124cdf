import { Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { EncryptionKey } from '../storage/encryption-key.ts';

/** As long as SQS keeps anything. In a dead-letter queue the clock goes on from the first queue, so both have it. */
export const queueRetention = Duration.days(14);

/** What a dead-letter queue needs to be told. */
export interface DeadLetterQueueProps {
  /** Six times the timeout of the function that empties it. */
  readonly visibilitySeconds: number;
  /** @default a key of SQS */
  readonly key?: EncryptionKey | undefined;
  /**
   * Whether queues move messages here, and not only a service sends them. Which ones cannot be listed: each waits for this one to be made, and has
   * no name before it is made itself. @default true
   */
  readonly takesFromQueues?: boolean;
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/** Holds only what its source moved there by itself; `park-dead-letters` empties it into the ledger. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id, {
      retentionPeriod: queueRetention,
      visibilityTimeout: Duration.seconds(props.visibilitySeconds),
      ...(props.takesFromQueues === false
        ? { redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL } }
        : {}),
      ...queueEncryption(props.key),
      enforceSSL: true,
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this).acknowledge({
      id: 'Serverless::Serverless-SQSRedrivePolicy',
      reason: 'it is a dead-letter queue; what park-dead-letters fails on stays in it for 14 days, and an alarm rings',
    });
  }
}

/** How a queue is encrypted: with a key of its stage, or with one that SQS keeps. */
export function queueEncryption(
  key: EncryptionKey | undefined,
): Pick<QueueProps, 'encryption' | 'encryptionMasterKey'> {
  return key === undefined
    ? { encryption: QueueEncryption.SQS_MANAGED }
    : { encryption: QueueEncryption.KMS, encryptionMasterKey: key };
}
