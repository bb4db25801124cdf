import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  MathExpression,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Aws, Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type MetricName, metricNames, metricNamespace } from '#shared/vocabulary/metric-names.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { type AlarmTopic, fiveMinutes as period, ownMetric } from './alarm-topic.ts';

/** The page is 24 columns wide, on any screen. */
const pageWidth = 24;

/** What the dashboard of a stage shows. */
export interface StageDashboardProps {
  readonly alarms: AlarmTopic;
  /** By name. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** Those that workers empty. */
  readonly queues: { readonly commands: IQueue; readonly uploads: IQueue };
  readonly deadLetters: Readonly<Record<string, IQueue>>;
}

/** One graph: a question, and the lines that answer it. */
type Graph = Pick<GraphWidgetProps, 'title' | 'left' | 'right'>;

/**
 * One page for the person who is woken: the alarms of the stage on top, then a row of each part of
 * it. It refers to fewer than 50 metrics: the first three dashboards of an account are free up to
 * that (CloudWatch pricing, 2026-11). Another one would cost 3 dollars a month.
 */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, props: StageDashboardProps) {
    super(scope, id);
    const { alarms, functions } = props;
    const dashboard = new Dashboard(this, 'Default', {
      dashboardName: dashboardName(alarms.stage),
      defaultInterval: Duration.hours(12), // the night before
    });
    dashboard.addWidgets(new TextWidget({ width: pageWidth, height: 2, markdown: firstSteps(alarms) }));
    // The last that rang stands first.
    const shown = { sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP, width: pageWidth / 2, height: 4 };
    dashboard.addWidgets(
      new AlarmStatusWidget({ ...shown, title: 'Alarms that wake a person', alarms: alarms.alarms.page }),
      new AlarmStatusWidget({ ...shown, title: 'Alarms that may wait for the morning', alarms: alarms.alarms.warn }),
    );
    for (const [name, own] of Object.entries(rowsOf(props))) {
      const watched = functions[name];
      const row = watched === undefined ? own : [...own, failuresOf(name, watched)];
      const size = { width: pageWidth / row.length, height: 6, leftYAxis: { min: 0 } };
      dashboard.addWidgets(...row.map((one) => new GraphWidget({ ...one, ...size })));
    }
  }
}

/** The name of a stage's dashboard. */
export function dashboardName(stage: string): string {
  // "Dashboards are global" (CloudWatch User Guide, using dashboards): without the region, a stage
  // of the same name elsewhere has the name.
  return `gateway-autopilot-${stage}-${Aws.REGION}`;
}

function firstSteps({ stage, way }: AlarmTopic): string {
  return [
    `**Gateway Autopilot, ${stage}.** In the folder of the project, \`npx --no -- autopilot runbook\` with the name of an alarm prints what to do. On one screen: \`npx --no -- autopilot doctor ${way}\`;`,
    `what needs attention: \`npx --no -- autopilot parked list ${way}\`.`,
  ].join(' ');
}

/**
 * What all depend on, then what waits for a person, then each worker: those that start and stop
 * before the others. Without answer-questions: the person who asked sees its failure, and its two
 * metrics would take the page past the fifty that are free.
 */
function rowsOf({ alarms: { stage }, queues, deadLetters }: StageDashboardProps) {
  const names = metricNames;
  const counts = (by: FunctionName | 'gateway', ...counted: readonly MetricName[]) =>
    counted.map((name) => ownMetric(name, { stage, by }));
  const most = (name: MetricName, by: FunctionName) => [ownMetric(name, { stage, by, statistic: 'Maximum' })];
  const gateway = 'gateway';
  const daysLeft = { stage, by: gateway, statistic: 'Minimum', period: Duration.days(1) } as const;
  const [reconcile, update, watch] = ['reconcile-ledger', 'update-campaign-runs', 'watch-campaigns'] as const;
  const [register, poll, project] = ['register-datasets', 'poll-scanner-packages', 'watch-projects'] as const;
  return {
    [gateway]: [
      graph('Is the gate closed?', counts(gateway, names.gateClosed, names.gatePaused)),
      graph('Does the gateway take the token, and for how many days?', counts(gateway, names.authRefused), [
        ownMetric(names.tokenDaysLeft, daysLeft),
      ]),
    ],
    [reconcile]: [
      graph(`What is parked? The ${mostReasons} commonest reasons`, [bySearch(stage, 'reason')]),
      graph('How long is the oldest upload under way?', most(names.oldestOpenSeconds, reconcile)),
      graph('Did S3 not tell us of an upload?', counts(reconcile, names.reconcilerFound)),
    ],
    [update]: [
      graph(
        'What becomes of commands, which starts come too late?',
        counts(update, names.applied, names.skipped, names.parked, names.later, names.missedWindow),
      ),
      graph('How long do commands wait?', waiting(queues.commands)),
    ],
    [watch]: [
      graph('Does a run go on past its stop?', most(names.stopsLate, watch)),
      graph(
        'Which starts did their campaign not show? Which runs failed?',
        counts(watch, names.startsUnconfirmed, names.runsFailed),
      ),
      graph('What scores do runs have?', [bySearch(stage, 'run')]),
    ],
    [register]: [
      graph('What becomes of uploads?', counts(register, names.applied, names.parked, names.later)),
      graph('How long do uploads wait?', waiting(queues.uploads)),
    ],
    [poll]: [graph('Do scanner packages change?', counts(poll, names.packagesChanged))],
    [project]: [
      graph(
        'Do projects change, and with runs in flight?',
        counts(project, names.projectChanges, names.runsNotComparable),
      ),
    ],
    'park-dead-letters': [
      graph(
        'Do dead letters wait?',
        Object.entries(deadLetters).map(([label, queue]) =>
          queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period, label }),
        ),
      ),
    ],
  };
}

/** How long the oldest message has waited: also one that was deferred on purpose. */
function waiting(queue: IQueue): IMetric[] {
  const label = 'oldest message in the queue, s';
  return [queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period, label })];
}

function graph(title: string, left: IMetric[], right: IMetric[] = []): Graph {
  return { title, left, right };
}

function failuresOf(name: string, watched: LambdaFunction): Graph {
  const errors = watched.metricErrors({ statistic: 'Sum', period, label: 'errors' });
  const slowest = watched.metricDuration({ statistic: 'Maximum', period, label: 'slowest, ms' });
  return graph(`Does ${name} fail, is it slow?`, [errors], [slowest]);
}

/** Lines of the graph by reason; as many metrics of the dashboard's fifty. */
const mostReasons = 5;

/** What a search finds by a dimension that a metric has beside those of its service. */
const searches = {
  /** The reasons with most rows. */
  reason: {
    metric: metricNames.parkedOpen,
    service: 'reconcile-ledger',
    statistic: 'Maximum',
    sorted: `MAX, DESC), 0, ${mostReasons}`,
  },
  /** The runs with the lowest scores. */
  run: {
    metric: metricNames.campaignRunScore,
    service: 'watch-campaigns',
    statistic: 'Average',
    sorted: 'AVG, ASC), 0, 3',
  },
} as const;

/** A line for each value of the dimension, by a search: there is a metric for each that was seen lately, and for no other. */
function bySearch(stage: string, by: keyof typeof searches): IMetric {
  const { metric, service, statistic, sorted } = searches[by];
  const search = `{${metricNamespace},service,stage,${by}} MetricName="${metric}" service="${service}" stage="${stage}"`;
  return new MathExpression({
    expression: `SLICE(SORT(SEARCH('${search}', '${statistic}', ${period.toSeconds()}), ${sorted})`,
    label: `\${PROP('Dim.${by}')}`,
    usingMetrics: {},
    period,
  });
}
