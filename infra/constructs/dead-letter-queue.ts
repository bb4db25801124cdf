import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** As long as SQS keeps anything. In a dead-letter queue the clock goes on from the first queue, so both have it. */
export const queueRetention = Duration.days(14);

/** What a dead-letter queue needs to be told. */
export interface DeadLetterQueueProps {
  /** Six times the timeout of the function that empties it. */
  readonly visibilitySeconds: number;
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/** Holds only what its source moved there by itself; `park-dead-letters` empties it into the ledger. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id, {
      retentionPeriod: queueRetention,
      visibilityTimeout: Duration.seconds(props.visibilitySeconds),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
