import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames, type MetricName, metricNames } from '#shared/vocabulary/metric-names.ts';
import { countLines, type DashboardRow, ownMetric, waitingLine } from '../constructs/monitoring/stage-dashboard.ts';
import { grantPostpone, grantSend } from '../constructs/compute/worker-queue.ts';
import { oneIsEnough, RunbookAlarm } from '../constructs/monitoring/runbook-alarm.ts';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** What it needs beside the connections of every worker. */
export interface UpdateCampaignRunsWorkerProps extends WorkerProps {
  readonly maxConcurrency: number;
  /** The roles that send commands, by their ids. */
  readonly commandSenders: string;
}

/** Commands queue → PATCH of a campaign run. */
export class UpdateCampaignRunsWorker extends Construct {
  readonly function: LambdaFunction;
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, props: UpdateCampaignRunsWorkerProps) {
    super(scope, id);
    const { state, ledger, acting, bus } = props;
    const { queue } = state.queues.commands;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'update-campaign-runs',
      surroundings: props,
      monitoring: {
        severity: 'page',
        impact:
          'The function that starts and stops campaign runs fails again and again: starts and stops come late or not at all.',
        runbook: alarmNames.updateCampaignRunsFailures,
      },
      memoryMb: 512, // processor time for a quick cold start: a stop waits for it; the work itself needs a fifth
      environment: {
        LEDGER_TABLE: ledger.tableName,
        ACTING_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: bus.eventBusName,
        COMMANDS_QUEUE_URL: queue.queueUrl,
        COMMAND_SENDERS: props.commandSenders,
      },
    });
    // A command is rare and urgent: none waits for a neighbour.
    worker.consume('Commands', { queue, batchSize: 1, maxConcurrency: props.maxConcurrency });
    const ofRuns = ['command', 'run', 'run-id', 'target'] as const;
    const beside = ['switch', 'confirmation', 'run-readings', 'calendars'] as const;
    ledger.grantReadWrite(worker, { writes: [...ofRuns, 'gate', 'link-test', 'message', 'recent'] });
    ledger.grantReadMany(worker, [...ofRuns, ...beside], 'the rows that one decision needs');
    acting?.grantRead(
      worker,
      ['command', 'run', 'switch'],
      'switches, bound ids, and what was begun before the stage observed',
    );
    state.token.grantRead(worker);
    bus.grantPut(worker);
    grantPostpone(queue, worker);
    grantSend(queue, worker, 'the stop of a run that a newer start, or a guard, needs ended');
    this.function = worker.function;
    this.ringOnOutcomes(props);
    const { applied, skipped, parked, later, missedWindow } = metricNames;
    this.dashboardRow = [
      {
        title: 'What becomes of commands, which starts come too late?',
        lines: countLines(
          { stage: props.stage, by: 'update-campaign-runs' },
          applied,
          skipped,
          parked,
          later,
          missedWindow,
        ),
      },
      { title: 'How long do commands wait?', lines: [waitingLine(queue)] },
      worker.graph,
    ];
  }

  /**
   * Late is a start that missed its window here, and a stop that `watch-campaigns` sees; what is
   * parked the reconciler counts.
   */
  private ringOnOutcomes({ stage, alarms: topic }: WorkerProps): void {
    const counted = (name: MetricName, period: Duration) =>
      ownMetric(name, { stage, by: 'update-campaign-runs', statistic: 'Sum', period });

    new RunbookAlarm(this, 'MissedWindow', {
      topic,
      severity: 'warn',
      impact: 'A start came later than it is valid and was passed over: a test did not take place.',
      runbook: alarmNames.missedWindow,
      metric: counted(metricNames.missedWindow, Duration.minutes(5)),
      rings: { atLeast: 1 },
      periods: oneIsEnough,
    });
    new RunbookAlarm(this, 'SupersededSpike', {
      topic,
      severity: 'warn',
      impact: 'More than five commands in an hour were superseded by newer ones: two producers fight over a run.',
      runbook: alarmNames.supersededSpike,
      metric: counted(metricNames.superseded, Duration.hours(1)),
      rings: { atLeast: 6 }, // a person who changes her mind takes two or three
      periods: oneIsEnough,
    });
    new RunbookAlarm(this, 'RunIdsLow', {
      topic,
      severity: 'warn',
      impact: 'A run has few unused run ids left (notify.runIdsLow): once they are used, its starts are parked.',
      runbook: alarmNames.runIdsLow,
      metric: counted(metricNames.runIdsLow, Duration.minutes(5)),
      rings: { atLeast: 1 },
      periods: oneIsEnough,
    });
  }
}
