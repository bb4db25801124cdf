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
export interface WatchProjectsWorkerProps extends WorkerProps {
  /** Of its watches; undefined if there is none. */
  readonly shortestPeriod: Duration | undefined;
}

/**
 * Looks at a project when its schedule calls, one look at a time by its lease in the ledger; a
 * change sends a command.
 */
export class WatchProjectsWorker extends Construct {
  readonly function: LambdaFunction;
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: WatchProjectsWorkerProps) {
    super(scope, id);
    const { state, ledger, bus } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'watch-projects',
      surroundings: props,
      monitoring: {
        severity: 'warn',
        impact: 'The function that watches projects fails again and again: changed configurations are not noticed.',
        runbook: alarmNames.watchProjectsFailures,
      },
      calledEvery: props.shortestPeriod,
      memoryMb: 256, // one configuration, a megabyte at most
      environment: {
        LEDGER_TABLE: ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
      },
    });
    this.function = worker.function;
    worker.retryByNextTick();
    ledger.grantReadWrite(worker, { writes: ['project-watch', 'gate', 'recent'] });
    ledger.grantListOpen(worker, 'the runs in flight while a project changed');
    state.token.grantRead(worker);
    grantSend(queue, worker, 'the start that a change of a project asks for');
    bus.grantPut(worker);
    ringOnSilence(this, {
      topic: props.alarms,
      severity: 'warn',
      impact: 'The projects are not looked at: changed configurations are not noticed, and no test follows them.',
      runbook: alarmNames.watchProjectsNotRunning,
      calls: worker.function,
      every: props.shortestPeriod,
    });
    const { projectChanges, runsNotComparable } = metricNames;
    this.dashboardRow = [
      {
        title: 'Do projects change, and with runs in flight?',
        lines: countLines({ stage: props.stage, by: 'watch-projects' }, projectChanges, runsNotComparable),
      },
      worker.graph,
    ];
  }
}
