import { Construct } from 'constructs';
import { alarmNames, metricNames } from '#shared/vocabulary/metric-names.ts';
import { objectPrefixes } from '#shared/vocabulary/resource-names.ts';
import { countLines, type DashboardRow, waitingLine } from '../constructs/monitoring/stage-dashboard.ts';
import { grantPostpone, grantSend } from '../constructs/compute/worker-queue.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Plans in one batch; each is checked whole before anything of it is sent. */
const batchSize = 10;

/** What it needs beside the connections of every worker. */
export interface SendRunPlansWorkerProps extends WorkerProps {
  readonly maxConcurrency: number;
}

/** Objects under run-plans/ → commands. */
export class SendRunPlansWorker extends Construct {
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: SendRunPlansWorkerProps) {
    super(scope, id);
    const { state, ledger, bus } = props;
    const { commands, plans } = state.queues;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'send-run-plans',
      surroundings: props,
      monitoring: {
        severity: 'warn',
        impact: 'The function that sends run plans fails: the commands of a plan come late or not at all.',
        runbook: alarmNames.sendRunPlansFailures,
      },
      memoryMb: 256, // a plan is small and nothing waits for it
      environment: {
        LEDGER_TABLE: ledger.tableName,
        EVENT_BUS_NAME: bus.eventBusName,
        PLANS_QUEUE_URL: plans.queue.queueUrl,
        COMMANDS_QUEUE_URL: commands.queue.queueUrl,
        BUCKET_NAME: state.bucket.bucketName,
      },
    });
    worker.consume('Plans', { queue: plans.queue, batchSize, maxConcurrency: props.maxConcurrency });
    ledger.grantReadWrite(worker);
    state.bucket.grantReadVersions(worker, objectPrefixes.runPlans);
    grantPostpone(plans.queue, worker);
    grantSend(commands.queue, worker, 'the commands of a plan');
    bus.grantPut(worker);
    const { applied, parked } = metricNames;
    this.dashboardRow = [
      {
        title: 'What becomes of run plans?',
        lines: countLines({ stage: props.stage, by: 'send-run-plans' }, applied, parked),
      },
      { title: 'How long do run plans wait?', lines: [waitingLine(plans.queue)] },
      worker.graph,
    ];
  }
}
