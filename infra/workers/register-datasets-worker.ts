import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { alarmNames, metricNames } from '#shared/vocabulary/metric-names.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { uploadsBatchSize } from '../config/stage-numbers.ts';
import { countLines, type DashboardRow, waitingLine } from '../constructs/monitoring/stage-dashboard.ts';
import { grantPostpone, grantSend } from '../constructs/compute/worker-queue.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** What it needs beside the connections of every worker. */
export interface RegisterDatasetsWorkerProps extends WorkerProps {
  readonly maxConcurrency: number;
}

/** Objects under datasets/ → POST of a dataset, and the command that a rule's `thenStart` sends. */
export class RegisterDatasetsWorker extends Construct {
  readonly function: LambdaFunction;
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: RegisterDatasetsWorkerProps) {
    super(scope, id);
    const { state, ledger, bus } = props;
    const { commands, uploads } = state.queues;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'register-datasets',
      surroundings: props,
      monitoring: {
        severity: 'warn',
        impact: 'The function that registers uploads fails: files are registered late, or parked after three tries.',
        runbook: alarmNames.registerDatasetsFailures,
      },
      memoryMb: 512, // the check of 10 MB with two million rows takes 200 MB for a while, beside four files of 15 MB on their way (measured 2026-11); the processor comes with the memory
      environment: {
        LEDGER_TABLE: ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        UPLOADS_QUEUE_URL: uploads.queue.queueUrl,
        COMMANDS_QUEUE_URL: commands.queue.queueUrl,
        BUCKET_NAME: state.bucket.bucketName,
      },
    });
    this.function = worker.function;
    worker.consume('Uploads', {
      queue: uploads.queue,
      batchSize: uploadsBatchSize,
      maxConcurrency: props.maxConcurrency,
    });
    ledger.grantReadWrite(worker, { writes: ['upload', 'dataset', 'gate', 'link-test', 'message', 'recent'] });
    state.token.grantRead(worker);
    state.bucket.grantReadVersions(worker, datasetsPrefix);
    state.bucket.grantReadCurrent(worker, datasetsPrefix, 'sidecars, and which version is the latest');
    grantPostpone(uploads.queue, worker);
    grantSend(commands.queue, worker, 'the start that a rule’s `thenStart` asks for');
    bus.grantPut(worker);
    const { applied, parked, later } = metricNames;
    this.dashboardRow = [
      {
        title: 'What becomes of uploads?',
        lines: countLines({ stage: props.stage, by: 'register-datasets' }, applied, parked, later),
      },
      { title: 'How long do uploads wait?', lines: [waitingLine(uploads.queue)] },
      worker.graph,
    ];
  }
}
