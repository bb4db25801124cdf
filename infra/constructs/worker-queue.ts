import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type EncryptionKey, grantKeyUse, type StateProps } from './encryption-key.ts';
import { grantActions } from './grant-actions.ts';

/**
 * As long as SQS keeps anything. In a dead-letter queue the clock goes on from the first queue, so
 * both have it.
 */
export const queueRetention = Duration.days(14);

/**
 * A command has some 200 bytes, with everything at its longest half of this; an S3 event has 1 kB.
 * A larger message is none of ours, and is refused to its sender. SQS would take 1 MB.
 */
const maxMessageSizeBytes = 65_536;

/** Props of a dead-letter queue. */
export interface DeadLetterQueueProps extends StateProps {
  /** Six times the timeout of the function that empties it. */
  readonly visibilitySeconds: number;
  /**
   * Whether queues move messages here, and not only a service sends them. Which ones cannot be
   * listed: each waits for this one to be made, and has no name before it is made itself. @default
   * true
   */
  readonly takesFromQueues?: boolean;
}

/**
 * Holds only what its source moved there by itself; `park-dead-letters` empties it into the ledger.
 */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id, {
      retentionPeriod: queueRetention,
      maxMessageSizeBytes,
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
function queueEncryption(key: EncryptionKey | undefined): Pick<QueueProps, 'encryption' | 'encryptionMasterKey'> {
  return key === undefined
    ? { encryption: QueueEncryption.SQS_MANAGED }
    : { encryption: QueueEncryption.KMS, encryptionMasterKey: key };
}

/**
 * A net only: a worker parks by time and by crash count long before. Small numbers would throw
 * healthy messages away whenever the gateway is down or busy for an hour.
 */
const maxReceiveCount = 1000;

/** Props of a worker's queue; key and protection are those of both. */
export interface WorkerQueueProps extends StateProps {
  /** Six times the timeout of the function that it feeds. */
  readonly visibilitySeconds: number;
  /** The same for the function that empties its dead-letter queue. */
  readonly deadLetterVisibilitySeconds: number;
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
      maxMessageSizeBytes,
      visibilityTimeout: Duration.seconds(props.visibilitySeconds),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
      ...queueEncryption(props.key),
      enforceSSL: true,
      removalPolicy: props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

/**
 * Sends to one queue, and nothing else: CDK's own grant adds two reading actions that no sender
 * here uses.
 */
export function grantSend(queue: IQueue, grantee: IGrantable, why: string): Grant {
  grantKeyUse(queue.encryptionMasterKey?.keyArn, grantee, {
    through: 'sqs',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'], // SQS proves a data key that it uses again
    why: 'SQS encrypts the messages that are sent',
  });
  return grantActions(grantee, { actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn], why });
}

/** Looks at how many messages a queue holds. */
export function grantReadDepth(queue: IQueue, grantee: IGrantable, why: string): Grant {
  return grantActions(grantee, { actions: ['sqs:GetQueueAttributes'], resourceArns: [queue.queueArn], why });
}

/** What an event source mapping does under the function's role. */
export function grantConsume(queue: IQueue, grantee: IGrantable): Grant {
  grantKeyUse(queue.encryptionMasterKey?.keyArn, grantee, {
    through: 'sqs',
    actions: ['kms:Decrypt'],
    why: 'SQS decrypts the messages that are received',
  });
  return grantActions(grantee, {
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resourceArns: [queue.queueArn],
    why: 'Lambda takes the messages of the queue in its name, and deletes those that are done',
  });
}

/** Puts a message that was received out of sight for as long as its worker says. */
export function grantPostpone(queue: IQueue, grantee: IGrantable): Grant {
  return grantActions(grantee, {
    actions: ['sqs:ChangeMessageVisibility'],
    resourceArns: [queue.queueArn],
    why: 'what has to wait comes back after its own back-off instead of the visibility timeout of the queue',
  });
}
