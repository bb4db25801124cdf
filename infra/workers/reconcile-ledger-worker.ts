import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames, type MetricName, metricNames, metricNamespace } from '#shared/vocabulary/metric-names.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import {
  countLines,
  type DashboardGraph,
  type DashboardRow,
  graphPeriod,
  ownMetric,
  type OwnMetricProps,
} from '../constructs/monitoring/stage-dashboard.ts';
import { grantActions } from '../constructs/compute/grant-actions.ts';
import { grantReadDepth, grantSend } from '../constructs/compute/worker-queue.ts';
import { oneIsEnough, RunbookAlarm } from '../constructs/monitoring/runbook-alarm.ts';
import type { FixedTick } from '../constructs/compute/stage-schedules.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** How long an upload may be under way before a person is notified. */
const lateSeconds = { warn: 3600, page: 21_600 };

/** Lines of the graph by reason; as many metrics of the dashboard's fifty. */
const mostReasons = 5;

/**
 * Finds uploads without a notification and work that no worker finished, and sends both to the
 * workers again.
 */
export class ReconcileLedgerWorker extends Construct {
  readonly tick: FixedTick;
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { state, ledger, acting, bus, stage } = props;
    const uploads = state.queues.uploads.queue;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'reconcile-ledger',
      surroundings: props,
      monitoring: {
        none: 'a tick that fails leaves no heartbeat, and the next one continues it: silence rings',
      },
      memoryMb: 256, // a page of a listing or of rows at a time
      environment: {
        LEDGER_TABLE: ledger.tableName,
        ACTING_TABLE: state.ledger.tableName,
        EVENT_BUS_NAME: bus.eventBusName,
        BUCKET_NAME: state.bucket.bucketName,
        UPLOADS_QUEUE_URL: uploads.queueUrl,
      },
    });
    worker.retryByNextTick();
    ledger.grantReadWrite(worker, { writes: ['reconcile'], reads: ['gate'] });
    ledger.grantListOpen(worker, 'uploads that are silent for too long, and how much is parked');
    ledger.grantReadMany(
      worker,
      ['command', 'observed-until', 'upload'],
      'the commands of the last occurrences of schedules, the uploads of the bucket',
    );
    acting?.grantReadOne(worker, ['observed-until'], 'until when the stage only observed');
    acting?.grantWrite(worker, ['observed-until'], 'until when the stage only observed');
    acting?.grantListOpen(worker, 'freezes and pauses that are on');
    bus.grantPut(worker);
    grantActions(worker, {
      actions: ['scheduler:GetSchedule'],
      resourceArns: [
        Stack.of(this).formatArn({
          service: 'scheduler',
          resource: 'schedule',
          resourceName: `${scheduleGroupName(stage)}/*`,
        }),
      ],
      wildcard: 'the schedules of this stage; their names are those of the configuration',
      why: 'why a schedule sends no command: disabled, deleted, or changed by hand',
    });
    state.bucket.grantListVersions(
      worker,
      [datasetsPrefix],
      'compares what is in the bucket with the ledger; reads no object',
    );
    grantSend(uploads, worker, 'uploads without a notification, and work that no worker finished');
    grantReadDepth(uploads, worker, 'while messages wait, an upload without a row may be one of them');
    this.tick = {
      name: 'reconcile-ledger',
      description: 'finds uploads without a notification, and work that no worker finished',
      expression: 'rate(5 minutes)', // an upload is found 20 minutes after it was put, at the latest
      function: worker.function,
    };
    this.ringOnSilence(props);
    this.ringOnWhatWaits(props);
    this.dashboardRow = [
      parkedByReason(props.stage),
      {
        title: 'How long is the oldest upload under way?',
        lines: [counted(metricNames.oldestOpenSeconds, 'Maximum', props)],
        marks: [
          { value: lateSeconds.warn, label: 'an hour' },
          { value: lateSeconds.page, label: 'six hours' },
        ],
      },
      {
        title: 'Did S3 not tell us of an upload?',
        lines: countLines({ stage: props.stage, by: 'reconcile-ledger' }, metricNames.reconcilerFound),
      },
      worker.graph,
    ];
  }

  /**
   * Its ticks come five minutes apart, give or take one: two empty periods are two that did not
   * come to their end.
   */
  private ringOnSilence(props: WorkerProps): void {
    new RunbookAlarm(this, 'NotRunning', {
      topic: props.alarms,
      severity: 'page',
      impact:
        'The bucket is not compared with the ledger, and what waits is not counted: a lost upload would not be found.',
      runbook: alarmNames.reconcileLedgerNotRunning,
      metric: counted(metricNames.reconcilerHeartbeat, 'Sum', props),
      rings: { below: 1 },
      periods: { of: 2, breaching: 2 },
    });
  }

  /** What the ticks count: it rings as long as it is so. */
  private ringOnWhatWaits(props: WorkerProps): void {
    const waits = { topic: props.alarms, periods: oneIsEnough };
    const oldest = counted(metricNames.oldestOpenSeconds, 'Maximum', props);
    new RunbookAlarm(this, 'ParkedOpen', {
      ...waits,
      severity: 'warn',
      impact: 'Work is parked: it is safe, and needs attention.',
      runbook: alarmNames.parkedOpen,
      metric: counted(metricNames.parkedOpen, 'Maximum', props),
      rings: { atLeast: 1 },
    });
    new RunbookAlarm(this, 'OldestOpenOneHour', {
      ...waits,
      severity: 'warn',
      impact: 'An upload has been under way for an hour: it is registered late.',
      runbook: alarmNames.oldestOpenOneHour,
      metric: oldest,
      rings: { atLeast: lateSeconds.warn },
    });
    new RunbookAlarm(this, 'OldestOpenSixHours', {
      ...waits,
      severity: 'page',
      impact: 'An upload has been under way for six hours: after a day it is parked.',
      runbook: alarmNames.oldestOpenSixHours,
      metric: oldest,
      rings: { atLeast: lateSeconds.page },
    });
    new RunbookAlarm(this, 'SchedulesSilent', {
      ...waits,
      severity: 'warn',
      impact: 'A schedule started nothing at its last occurrences: nothing is tested at its hours.',
      runbook: alarmNames.schedulesSilent,
      metric: counted(metricNames.schedulesSilent, 'Maximum', props),
      rings: { atLeast: 1 },
    });
    new RunbookAlarm(this, 'ReconcilerFound', {
      ...waits,
      severity: 'warn',
      impact: 'An upload was there of which S3 did not tell us: it is handled late, and so is every other one.',
      runbook: alarmNames.reconcilerFound,
      metric: counted(metricNames.reconcilerFound, 'Sum', props),
      rings: { atLeast: 1 },
    });
  }
}

function counted(name: MetricName, statistic: OwnMetricProps['statistic'], { stage }: WorkerProps) {
  return ownMetric(name, { stage, by: 'reconcile-ledger', statistic, period: Duration.minutes(5) });
}

/**
 * By a search, since there is a metric for each reason that was parked lately, and for no other:
 * the reasons with most rows.
 */
function parkedByReason(stage: string): DashboardGraph {
  const search = [
    `{${metricNamespace},service,stage,reason}`,
    `MetricName="${metricNames.parkedOpen}"`,
    `service="reconcile-ledger" stage="${stage}"`,
  ].join(' ');
  const seconds = graphPeriod.toSeconds();
  return {
    title: `What is parked? The ${mostReasons} commonest reasons`,
    lines: [
      new MathExpression({
        expression: `SLICE(SORT(SEARCH('${search}', 'Maximum', ${seconds}), MAX, DESC), 0, ${mostReasons})`,
        label: "${PROP('Dim.reason')}",
        usingMetrics: {},
        period: graphPeriod,
      }),
    ],
  };
}
