import type { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Deployment } from '#shared/config/automation.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { policyOutputs, stateOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { QueueKind, StageNumbers } from '../config/stage-numbers.ts';
import { DeadLetterQueue, WorkerQueue } from '../constructs/worker-queue.ts';
import { OutcomeBus } from '../constructs/monitoring/outcome-notices.ts';
import { OperatorPolicy, ReaderPolicy } from '../constructs/people/command-policies.ts';
import { anyDataset, LinkTesterPolicy, ObjectWriter, quietDatasets } from '../constructs/people/upload-policies.ts';
import { keepPolicies, StateKeys } from '../constructs/encryption-key.ts';
import { LedgerTable } from '../constructs/storage/ledger-table.ts';
import { TokenSecret } from '../constructs/storage/token-secret.ts';
import { UploadsBucket } from '../constructs/storage/uploads-bucket.ts';

/** Props of the state of a stage. */
export interface StateStackProps extends StackProps {
  readonly stage: string;
  readonly numbers: StageNumbers;
  readonly deployment: Deployment;
  /** Which uploads start runs. */
  readonly datasetRules: readonly ResolvedDatasetRule[];
}

/**
 * Everything that can lose data: the ledger, the bucket, the secret, the queues and their
 * dead-letter queues. The bus lies here too, since other teams' rules stand on it. Kept and
 * protected if it
 * is deployed; the ids of what is in here are fixed for life (a test lists them).
 */
export class StateStack extends Stack {
  readonly ledger: LedgerTable;
  /** What would have been, while the stage only observes. It is always there: empty, it costs nothing. */
  readonly observedLedger: LedgerTable;
  readonly bucket: UploadsBucket;
  readonly token: TokenSecret;
  readonly queues: Readonly<Record<QueueKind, WorkerQueue>>;
  readonly schedulesDeadLetters: DeadLetterQueue;
  readonly bus: OutcomeBus;
  readonly policies: Readonly<Record<(typeof policyOutputs)[number], ManagedPolicy>> & {
    readonly LinkTesterPolicyArn: LinkTesterPolicy;
  };

  constructor(scope: Construct, id: string, props: StateStackProps) {
    super(scope, id, { ...props, terminationProtection: !props.numbers.isLocal });
    const { stage, numbers, deployment } = props;
    const isProtected = !numbers.isLocal;
    const { deadLetters } = numbers.visibilitySeconds;
    const keys =
      deployment.encryption === 'customer-managed' ? new StateKeys(this, 'Keys', { stage, isProtected }) : undefined;
    const queue = (queueId: string, kind: QueueKind) =>
      new WorkerQueue(this, queueId, {
        visibilitySeconds: numbers.visibilitySeconds[kind],
        deadLetterVisibilitySeconds: deadLetters,
        key: keys?.queues,
        isProtected,
      });

    this.ledger = new LedgerTable(this, 'Ledger', { key: keys?.ledger, isProtected });
    this.observedLedger = new LedgerTable(this, 'ObservedLedger', { key: keys?.ledger, isProtected });
    // A change of the mode imports one of them no more, and CloudFormation refuses to end an export that is in use.
    for (const table of [this.ledger, this.observedLedger]) table.export();
    this.token = new TokenSecret(this, 'Token', { stage, key: keys?.token, isProtected });
    this.queues = {
      commands: queue('Commands', 'commands'),
      uploads: queue('Uploads', 'uploads'),
    };
    this.schedulesDeadLetters = new DeadLetterQueue(this, 'SchedulesDeadLetters', {
      visibilitySeconds: deadLetters,
      takesFromQueues: false,
      key: keys?.queues,
      isProtected,
    });
    Validations.of(this.schedulesDeadLetters).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SQS3',
      reason: 'it is the dead-letter queue of the schedules, which name it in their targets',
    });
    this.bus = new OutcomeBus(this, 'Bus', { stage, isProtected, archiveDays: deployment.eventArchiveDays });
    this.bucket = new UploadsBucket(this, 'Bucket', {
      stage,
      isProtected,
      existing: deployment.uploadsBucket,
      key: keys?.bucket,
      uploads: this.queues.uploads.queue,
    });
    this.policies = this.addPolicies(props);
    this.addOutputs();
    if (isProtected) keepPolicies(this);
  }

  /** For people; who gets one is the account's affair. */
  private addPolicies({ stage, datasetRules }: StateStackProps): StateStack['policies'] {
    const { bucket, ledger, observedLedger, token, schedulesDeadLetters } = this;
    const queues = Object.values(this.queues);
    const ofCommands = {
      stage,
      ledgers: [ledger, observedLedger],
      bucket,
      token,
      queues: queues.map(({ queue }) => queue),
      deadLetterQueues: [...queues.map(({ deadLetterQueue }) => deadLetterQueue), schedulesDeadLetters],
    };
    const policies = {
      DatasetsWriterPolicyArn: new ObjectWriter(this, 'DatasetsWriter', {
        bucket,
        puts: quietDatasets(datasetRules),
        description: `Puts tests for Gateway Autopilot (${stage}); starts nothing`,
      }),
      StartingDatasetsWriterPolicyArn: new ObjectWriter(this, 'StartingDatasetsWriter', {
        bucket,
        puts: anyDataset(datasetRules),
        description: `Puts tests for Gateway Autopilot (${stage}), also those that start campaign runs`,
      }),
      ReaderPolicyArn: new ReaderPolicy(this, 'Reader', ofCommands),
      OperatorPolicyArn: new OperatorPolicy(this, 'Operator', ofCommands),
      LinkTesterPolicyArn: new LinkTesterPolicy(this, 'LinkTester', {
        stage,
        bucket,
        commands: this.queues.commands.queue,
      }),
    } satisfies StateStack['policies'];
    for (const name of policyOutputs) new CfnOutput(this, name, { value: policies[name].managedPolicyArn });
    return policies;
  }

  private addOutputs(): void {
    const { commands, uploads } = this.queues;
    const values = {
      LedgerTableName: this.ledger.tableName,
      ObservedLedgerTableName: this.observedLedger.tableName,
      BucketName: this.bucket.bucketName,
      TokenSecretArn: this.token.secretArn,
      CommandsQueueUrl: commands.queue.queueUrl,
      CommandsDeadLetterQueueUrl: commands.deadLetterQueue.queueUrl,
      UploadsQueueUrl: uploads.queue.queueUrl,
      UploadsDeadLetterQueueUrl: uploads.deadLetterQueue.queueUrl,
      SchedulesDeadLetterQueueUrl: this.schedulesDeadLetters.queueUrl,
      EventBusName: this.bus.eventBusName,
      LinkTestsRoleArn: this.policies.LinkTesterPolicyArn.linkTestsRole.roleArn,
    } satisfies Record<(typeof stateOutputs)[number], string>;
    for (const name of stateOutputs) new CfnOutput(this, name, { value: values[name] });
  }
}
