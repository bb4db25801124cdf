import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { objectPrefixes } from '../../shared/vocabulary/object-prefixes.ts';
import { stateOutputs } from '../../shared/vocabulary/stack-outputs.ts';
import type { QueueKind, StageNumbers } from '../config/stage-numbers.ts';
import { DeadLetterQueue } from '../constructs/dead-letter-queue.ts';
import { OutcomeBus } from '../constructs/outcome-bus.ts';
import { LedgerTable } from '../constructs/ledger-table.ts';
import { TokenSecret } from '../constructs/token-secret.ts';
import { UploadsBucket } from '../constructs/uploads-bucket.ts';
import { WorkerQueue } from '../constructs/worker-queue.ts';

/** What the state of a stage needs to be told. */
export interface StateStackProps extends StackProps {
  readonly stage: string;
  readonly numbers: StageNumbers;
}

/**
 * Everything that can lose data: the ledger, the bucket, the secret, the queues and their dead-letter queues; and the bus, since
 * other teams' rules stand on it. Kept and protected where it
 * is deployed; the ids of what is in here are fixed for life (a test lists them).
 */
export class StateStack extends Stack {
  readonly ledger: LedgerTable;
  readonly bucket: UploadsBucket;
  readonly token: TokenSecret;
  readonly queues: Readonly<Record<QueueKind, WorkerQueue>>;
  readonly schedulesDeadLetters: DeadLetterQueue;
  readonly bus: OutcomeBus;

  constructor(scope: Construct, id: string, props: StateStackProps) {
    super(scope, id, { ...props, terminationProtection: !props.numbers.isLocal });
    const { stage, numbers } = props;
    const isProtected = !numbers.isLocal;
    const { deadLetters } = numbers.visibilitySeconds;
    const queue = (queueId: string, kind: QueueKind) =>
      new WorkerQueue(this, queueId, {
        visibilitySeconds: numbers.visibilitySeconds[kind],
        deadLetterVisibilitySeconds: deadLetters,
        isProtected,
      });

    this.ledger = new LedgerTable(this, 'Ledger', { isProtected });
    this.token = new TokenSecret(this, 'Token', { stage, isProtected });
    this.queues = {
      commands: queue('Commands', 'commands'),
      uploads: queue('Uploads', 'uploads'),
      plans: queue('Plans', 'plans'),
    };
    this.schedulesDeadLetters = new DeadLetterQueue(this, 'SchedulesDeadLetters', {
      visibilitySeconds: deadLetters,
      isProtected,
    });
    this.bus = new OutcomeBus(this, 'Bus', { stage, isProtected });
    this.bucket = new UploadsBucket(this, 'Bucket', {
      stage,
      isProtected,
      notifications: [
        { prefix: objectPrefixes.datasets, queue: this.queues.uploads.queue },
        { prefix: objectPrefixes.runPlans, queue: this.queues.plans.queue },
      ],
    });
    this.addOutputs();
  }

  private addOutputs(): void {
    const { commands, uploads, plans } = this.queues;
    const values = {
      LedgerTableName: this.ledger.tableName,
      BucketName: this.bucket.bucketName,
      TokenSecretArn: this.token.secretArn,
      CommandsQueueUrl: commands.queue.queueUrl,
      CommandsDeadLetterQueueUrl: commands.deadLetterQueue.queueUrl,
      UploadsQueueUrl: uploads.queue.queueUrl,
      UploadsDeadLetterQueueUrl: uploads.deadLetterQueue.queueUrl,
      PlansQueueUrl: plans.queue.queueUrl,
      PlansDeadLetterQueueUrl: plans.deadLetterQueue.queueUrl,
      SchedulesDeadLetterQueueUrl: this.schedulesDeadLetters.queueUrl,
      EventBusName: this.bus.eventBusName,
    } satisfies Record<(typeof stateOutputs)[number], string>;
    for (const name of stateOutputs) new CfnOutput(this, name, { value: values[name] });
  }
}
