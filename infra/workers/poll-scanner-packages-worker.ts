import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames, metricNames } from '#shared/vocabulary/metric-names.ts';
import { countLines, type DashboardRow } from '../constructs/monitoring/stage-dashboard.ts';
import { grantSend } from '../constructs/compute/worker-queue.ts';
import { ringOnSilence } from '../constructs/monitoring/stage-alarms.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** What it needs beside the connections of every worker. */
export interface PollScannerPackagesWorkerProps extends WorkerProps {
  /** Of its watches; undefined if there is none. */
  readonly shortestPeriod: Duration | undefined;
}

/**
 * Walks a listing when its schedule calls; of two walks of a watch at once the first to end counts.
 * A change sends a command.
 */
export class PollScannerPackagesWorker extends Construct {
  readonly function: LambdaFunction;
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: PollScannerPackagesWorkerProps) {
    super(scope, id);
    const { state, ledger, bus } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'poll-scanner-packages',
      surroundings: props,
      monitoring: {
        severity: 'warn',
        impact:
          'The function that watches scanner packages fails again and again: changes are not noticed, and no test follows them.',
        runbook: alarmNames.pollScannerPackagesFailures,
      },
      calledEvery: props.shortestPeriod,
      memoryMb: 512, // a watch of 5,000 packages takes 135 MB; the rest is for the share of a CPU that comes with it
      environment: {
        LEDGER_TABLE: ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
      },
    });
    this.function = worker.function;
    worker.retryByNextTick();
    ledger.grantReadWrite(worker, { writes: ['watch', 'gate', 'recent'] });
    ledger.grantReadMany(worker, ['watch'], 'all that is known of a watch');
    state.token.grantRead(worker);
    grantSend(queue, worker, 'the start that a change of a package asks for');
    bus.grantPut(worker);
    ringOnSilence(this, {
      topic: props.alarms,
      severity: 'warn',
      impact: 'The scanner packages are not looked at: changes are not noticed, and no test follows them.',
      runbook: alarmNames.pollScannerPackagesNotRunning,
      calls: worker.function,
      every: props.shortestPeriod,
    });
    this.dashboardRow = [
      {
        title: 'Do scanner packages change?',
        lines: countLines({ stage: props.stage, by: 'poll-scanner-packages' }, metricNames.packagesChanged),
      },
      worker.graph,
    ];
  }
}
