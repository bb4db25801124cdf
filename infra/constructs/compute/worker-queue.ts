import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { DeadLetterQueue, queueEncryption, queueRetention } from './dead-letter-queue.ts';
import type { EncryptionKey } from '../storage/encryption-key.ts';

/**
 * A net only: a worker parks by time and by crash count long before. Small numbers would throw healthy messages away whenever the gateway
 * is down or busy for an hour.
 */
const maxReceiveCount = 1000;

/** What a worker's queue needs to be told. */
export interface WorkerQueueProps {
  /** Six times the timeout of the function that it feeds. */
  readonly visibilitySeconds: number;
  /** The same for the function that empties its dead-letter queue. */
  readonly deadLetterVisibilitySeconds: number;
  /** Of both queues. @default a key of SQS */
  readonly key?: EncryptionKey | undefined;
  /** Both queues are kept when their stack goes. */
  readonly isProtected: boolean;
}

/**
 * A standard queue that feeds one worker, with its dead-letter queue.
 * @example new WorkerQueue(this, 'Commands', { visibilitySeconds: 180, deadLetterVisibilitySeconds: 360, isProtected: true })
 */
export class WorkerQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: IQueue;

  constructor(scope: Construct, id: string, props: WorkerQueueProps) {
    super(scope, id);
    this.deadLetterQueue = new DeadLetterQueue(this, 'DeadLetters', {
      visibilitySeconds: props.deadLetterVisibilitySeconds,
      key: props.key,
      isProtected: props.isProtected,
    });
    this.queue = new Queue(this, 'Default', {
      retentionPeriod: queueRetention,
      visibilityTimeout: Duration.seconds(props.visibilitySeconds),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
      ...queueEncryption(props.key),
      enforceSSL: true,
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
