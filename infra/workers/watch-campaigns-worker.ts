import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Aws, Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames, metricNames } from '#shared/vocabulary/metric-names.ts';
import { countLines, type DashboardRow, graphPeriod, ownMetric } from '../constructs/monitoring/stage-dashboard.ts';
import { grantActions } from '../constructs/compute/grant-actions.ts';
import { grantSend } from '../constructs/compute/worker-queue.ts';
import { oneIsEnough, RunbookAlarm, twoOfThree } from '../constructs/monitoring/runbook-alarm.ts';
import type { FixedTick } from '../constructs/compute/stage-schedules.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** What it needs beside the connections of every worker. */
export interface WatchCampaignsWorkerProps extends WorkerProps {
  /** The gateway shows runs: a run that failed rings. */
  readonly readsRuns: boolean;
  /** The change calendars that blackouts follow, as ARNs of their documents. */
  readonly calendars: readonly string[];
  /** ARNs of the alarms that halt it, by campaign. */
  readonly haltOn: Readonly<Record<string, readonly string[]>>;
}

/**
 * Every minute, by what the ledger says: sends what is due, and reads the campaigns that a start
 * waits for.
 */
export class WatchCampaignsWorker extends Construct {
  readonly tick: FixedTick;
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: WatchCampaignsWorkerProps) {
    super(scope, id);
    const { state, ledger, acting, bus, calendars } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'watch-campaigns',
      surroundings: props,
      monitoring: {
        severity: 'page',
        impact: 'The function that sends stops that are due fails again and again: a run may go on past its stop.',
        runbook: alarmNames.watchCampaignsFailures,
      },
      calledEvery: Duration.minutes(1),
      memoryMb: 256, // a page of rows at a time
      environment: {
        LEDGER_TABLE: ledger.tableName,
        ACTING_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
      },
    });
    worker.retryByNextTick();
    ledger.grantReadWrite(worker, {
      writes: ['sent-commands', 'run-readings', 'confirmation', 'run', 'run-id', 'target', 'calendars', 'gate'],
      reads: ['command'],
    });
    ledger.grantReadMany(worker, ['command', 'confirmation'], 'the commands and confirmations of the runs in flight');
    ledger.grantListOpen(worker, 'what is in flight, due or deferred');
    acting?.grantListOpen(worker, 'runs that were started for real and go on while the stage observes');
    state.token.grantRead(worker);
    grantSend(queue, worker, 'stops and starts that are due');
    bus.grantPut(worker);
    if (calendars.length > 0) {
      grantActions(worker, {
        actions: ['ssm:GetCalendarState'],
        resourceArns: calendars,
        why: 'whether a calendar that a blackout follows is closed',
      });
    }
    if (Object.keys(props.haltOn).length > 0) this.followAlarms(worker, props);
    this.tick = {
      name: 'watch-campaigns',
      description: 'sends stops and starts that are due, looks whether campaigns show their starts',
      expression: 'rate(1 minute)',
      function: worker.function,
    };
    this.ringOnStops(props);
    if (props.readsRuns) this.ringOnFailedRuns(props);
    this.ringOnThrottles(worker.function, props);
    const own = { stage: props.stage, by: 'watch-campaigns' } as const;
    this.dashboardRow = [
      {
        title: 'Does a run go on past its stop?',
        lines: [ownMetric(metricNames.stopsLate, { ...own, statistic: 'Maximum', period: graphPeriod })],
      },
      {
        title: 'Which starts did their campaign not show? Which runs failed?',
        lines: countLines(own, metricNames.startsUnconfirmed, metricNames.runsFailed),
      },
      worker.graph,
    ];
  }

  /**
   * A change of an alarm's state brings the next tick forward; the tick reads the state itself. An event that does not arrive needs no dead-letter
   * queue: the tick of the next minute sees the same.
   */
  private followAlarms(
    worker: WorkerFunction<'watch-campaigns'>,
    { ledger, acting, haltOn }: WatchCampaignsWorkerProps,
  ): void {
    // Switches lie in the acting table in either mode.
    (acting ?? ledger).grantReadWrite(worker, { writes: ['switch#alarm', 'past-switch#alarm'] });
    grantActions(worker, {
      actions: ['cloudwatch:DescribeAlarms'],
      resourceArns: ['*'],
      wildcard:
        'composite alarms are not described under a narrower one (DescribeAlarms, Amazon CloudWatch API Reference)',
      why: 'whether an alarm rings that a campaign halts on (`haltOn`)',
    });
    for (const [campaign, arns] of Object.entries(haltOn)) {
      const rule = new CfnRule(this, `HaltOn-${campaign}`, {
        description: `looks at the alarms that halt ${campaign} when one changes`,
        eventPattern: {
          source: ['aws.cloudwatch'],
          'detail-type': ['CloudWatch Alarm State Change'],
          resources: [...arns],
        },
        targets: [{ id: 'Tick', arn: worker.function.functionArn, input: JSON.stringify({ tick: 'watch-campaigns' }) }],
      });
      worker.function.addPermission(`HaltOn-${campaign}`, {
        principal: new ServicePrincipal('events.amazonaws.com'),
        sourceArn: rule.attrArn,
        sourceAccount: Aws.ACCOUNT_ID,
      });
      Validations.of(rule).acknowledge({
        id: 'Serverless::Serverless-EventBusDLQ',
        reason: 'the tick of the next minute sees the same state, so an event that is lost is no lost work',
      });
    }
  }

  /**
   * Each tick counts the stops that are late, none too: its silence says that the watcher does not
   * run.
   */
  private ringOnStops({ stage, alarms: topic }: WorkerProps): void {
    const counted = { stage, by: 'watch-campaigns', period: Duration.minutes(5) } as const;
    new RunbookAlarm(this, 'NotRunning', {
      topic,
      severity: 'page',
      impact: 'Stops that are due are not sent: a run goes on until a person stops it by hand.',
      runbook: alarmNames.watchCampaignsNotRunning,
      metric: ownMetric(metricNames.stopsLate, { ...counted, statistic: 'SampleCount' }),
      rings: { below: 1 },
      periods: { of: 2, breaching: 2 },
    });
    // Late is two minutes after it was due; at every tick of five minutes more, it is not coming by
    // itself.
    new RunbookAlarm(this, 'StopsLate', {
      topic,
      severity: 'page',
      impact: 'A campaign run goes on past its stop: it costs money and sends prompts that are not wanted any more.',
      runbook: alarmNames.stopsLate,
      metric: ownMetric(metricNames.stopsLate, { ...counted, statistic: 'Minimum' }),
      rings: { atLeast: 1 },
      periods: oneIsEnough,
    });
  }

  /** Only a gateway whose runs can be read says so. */
  private ringOnFailedRuns({ stage, alarms: topic }: WorkerProps): void {
    const counted = { stage, by: 'watch-campaigns', period: Duration.minutes(5) } as const;
    new RunbookAlarm(this, 'RunFailed', {
      topic,
      severity: 'warn',
      impact:
        'A run ended in an error, or failed at one of its providers: a test did not take place, or not as a whole.',
      runbook: alarmNames.runFailed,
      metric: ownMetric(metricNames.runsFailed, { ...counted, statistic: 'Sum' }),
      rings: { atLeast: 1 },
      periods: oneIsEnough,
    });
  }

  /**
   * No function reserves concurrency, so all share what the account has left; the one that is
   * called every minute is the first to miss it.
   */
  private ringOnThrottles(watched: LambdaFunction, { alarms: topic }: WorkerProps): void {
    new RunbookAlarm(this, 'Throttled', {
      topic,
      severity: 'warn',
      impact: 'The account has no room for our functions: everything comes late, stops too.',
      runbook: alarmNames.functionsThrottled,
      metric: watched.metricThrottles({ statistic: 'Sum', period: Duration.minutes(5) }),
      rings: { atLeast: 1 },
      periods: twoOfThree,
    });
  }
}
