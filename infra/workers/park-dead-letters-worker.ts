import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames } from '#shared/vocabulary/metric-names.ts';
import { type DashboardRow, graphPeriod } from '../constructs/monitoring/stage-dashboard.ts';
import { RunbookAlarm } from '../constructs/monitoring/runbook-alarm.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** Dead letters in one batch. */
const batchSize = 10;

/** The least that AWS takes; a dead letter is rare. */
const maxConcurrency = 2;

/** Every dead-letter queue → a parked row of the ledger. */
export class ParkDeadLettersWorker extends Construct {
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { state, ledger, bus } = props;
    const queues = {
      Commands: state.queues.commands.deadLetterQueue,
      Uploads: state.queues.uploads.deadLetterQueue,
      Schedules: state.schedulesDeadLetters,
    };
    const worker = new WorkerFunction(this, 'Function', {
      name: 'park-dead-letters',
      surroundings: props,
      monitoring: { none: 'what it cannot park stays in a dead-letter queue, and that rings' },
      memoryMb: 256, // it copies messages into rows
      environment: {
        LEDGER_TABLE: ledger.tableName,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_DLQ_ARN: queues.Commands.queueArn,
        UPLOADS_DLQ_ARN: queues.Uploads.queueArn,
        SCHEDULES_DLQ_ARN: queues.Schedules.queueArn,
      },
    });
    for (const [name, queue] of Object.entries(queues)) worker.consume(name, { queue, batchSize, maxConcurrency });
    const ofRuns = ['command', 'run', 'run-id', 'target'] as const;
    // It only ends commands: the watcher would send an open one of its own making.
    ledger.grantReadWrite(worker, { writes: [...ofRuns, 'message', 'recent'], reads: ['gate'], without: 'isTaken' });
    ledger.grantReadMany(worker, [...ofRuns, 'switch'], 'the rows of a command that its queue gave up');
    bus.grantPut(worker);
    this.ringOnDeadLetters(Object.entries(queues), props);
    this.dashboardRow = [
      {
        title: 'Do dead letters wait?',
        lines: Object.entries(queues).map(([name, queue]) =>
          queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: graphPeriod, label: name }),
        ),
      },
      worker.graph,
    ];
  }

  /**
   * One alarm for all of them, since one function empties them; it costs what an alarm for each
   * would. Two periods: it needs a moment.
   */
  private ringOnDeadLetters(queues: readonly (readonly [string, IQueue])[], { alarms }: WorkerProps): void {
    const period = Duration.minutes(5);
    const named = queues.map(([name, queue]) => [name.toLowerCase(), queue] as const);
    new RunbookAlarm(this, 'DeadLettersWaiting', {
      topic: alarms,
      severity: 'warn',
      impact:
        'A message that its queue gave up is not made a parked row: it is in no other place, and is gone after 14 days.',
      runbook: alarmNames.deadLettersWaiting,
      metric: new MathExpression({
        expression: `MAX([${named.map(([name]) => `FILL(${name}, 0)`).join(', ')}])`,
        label: 'messages in the dead-letter queue that holds most',
        period,
        usingMetrics: Object.fromEntries(
          named.map(([name, queue]) => [
            name,
            queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
          ]),
        ),
      }),
      rings: { atLeast: 1 },
      periods: { of: 2, breaching: 2 },
    });
  }
}
