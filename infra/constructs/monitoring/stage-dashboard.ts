import {
  AlarmStatusWidget,
  type AlarmStatusWidgetProps,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  type IWidget,
  Metric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Aws, Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { type MetricName, metricNamespace, metricService } from '#shared/vocabulary/metric-names.ts';
import { type Monitored, RunbookAlarm } from './runbook-alarm.ts';

/** The page is 24 columns wide, on any screen. */
const pageWidth = 24;

/** Rows of the page: a graph, and the states of a dozen alarms. */
const height = { text: 2, alarms: 4, graph: 6 };

/** Props of the dashboard of a stage. */
export interface StageDashboardProps {
  readonly stage: string;
  /** From the top: what a person who was woken looks at first. */
  readonly rows: readonly DashboardRow[];
}

/**
 * One page for the person who is woken: the alarms of the stage on top, then a row of each part of
 * it. It refers to fewer than 50 metrics: the first three dashboards of an account are free up to
 * that (CloudWatch pricing, 2026-11). Another one would cost 3 dollars a month.
 */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, { stage, rows }: StageDashboardProps) {
    super(scope, id);
    const dashboard = new Dashboard(this, 'Default', {
      dashboardName: dashboardName(stage),
      defaultInterval: Duration.hours(12), // the night before
    });
    dashboard.addWidgets(new TextWidget({ width: pageWidth, height: height.text, markdown: firstSteps(stage) }));
    dashboard.addWidgets(
      this.alarmsOf('page', 'Alarms that wake a person'),
      this.alarmsOf('warn', 'Alarms that may wait for the morning'),
    );
    for (const row of rows) dashboard.addWidgets(...row.map((graph) => widgetOf(graph, pageWidth / row.length)));
  }

  /** All alarms of this stack; the last that rang stands first. */
  private alarmsOf(severity: Monitored['severity'], title: string): IWidget {
    const all = Stack.of(this).node.findAll();
    const alarms: AlarmStatusWidgetProps['alarms'] = all
      .filter((one) => one instanceof RunbookAlarm)
      .filter((one) => one.severity === severity)
      .map((one) => one.alarm);
    const sortBy = AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP;
    return new AlarmStatusWidget({ title, alarms, sortBy, width: pageWidth / 2, height: height.alarms });
  }
}

/** The name of a stage's dashboard. */
export function dashboardName(stage: string): string {
  // "Dashboards are global" (CloudWatch User Guide, using dashboards): without the region, a stage
  // of the same name elsewhere has the name.
  return `gateway-autopilot-${stage}-${Aws.REGION}`;
}

function firstSteps(stage: string): string {
  return [
    `**Gateway Autopilot, ${stage}.** \`autopilot runbook\` with the name of an alarm prints what to do. On one screen: \`autopilot doctor --aws --stage ${stage}\`;`,
    `what needs attention: \`autopilot parked list --aws --stage ${stage}\`. Saved queries in Logs Insights: gateway-autopilot/${stage}/…`,
  ].join(' ');
}

function widgetOf({ title, lines, linesOnTheRight = [], marks = [] }: DashboardGraph, width: number): IWidget {
  const annotations = (isOnTheRight: boolean): HorizontalAnnotation[] =>
    marks.filter((mark) => (mark.isOnTheRight ?? false) === isOnTheRight).map(({ value, label }) => ({ value, label }));
  return new GraphWidget({
    title,
    width,
    height: height.graph,
    left: [...lines],
    right: [...linesOnTheRight],
    leftAnnotations: annotations(false),
    rightAnnotations: annotations(true),
    leftYAxis: { min: 0 },
  });
}

/** One graph of the dashboard: a question in its title, and the lines that answer it. */
export interface DashboardGraph {
  readonly title: string;
  readonly lines: readonly IMetric[];
  /** Of another unit, by the axis on the right. @default none */
  readonly linesOnTheRight?: readonly IMetric[];
  /** The serious value: an alarm rings there, or it is a limit. @default none */
  readonly marks?: readonly { readonly value: number; readonly label: string; readonly isOnTheRight?: boolean }[];
}

/** What one part of the stage shows of itself, side by side over the whole width. */
export type DashboardRow = readonly DashboardGraph[];

/** The shortest time of a point: metrics of SQS and of most ticks come no oftener. */
export const graphPeriod = Duration.minutes(5);

/** A line for each of these counts of a function. */
export function countLines(of: Pick<OwnMetricProps, 'stage' | 'by'>, ...names: readonly MetricName[]): IMetric[] {
  return names.map((name) => ownMetric(name, { ...of, statistic: 'Sum', period: graphPeriod }));
}

/** How long the oldest message of a queue has waited: also one that was deferred on purpose. */
export function waitingLine(queue: IQueue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({
    statistic: 'Maximum',
    period: graphPeriod,
    label: 'oldest message in the queue, s',
  });
}

/** What of a metric is looked at. */
export interface OwnMetricProps {
  readonly stage: string;
  /** Who counts it; `gateway` if all functions do. */
  readonly by: FunctionName | 'gateway';
  readonly statistic: 'Sum' | 'Minimum' | 'Maximum' | 'SampleCount';
  readonly period: Duration;
}

/** A metric that our functions emit, with the very dimensions that they emit it under. */
export function ownMetric(metricName: MetricName, { stage, by, statistic, period }: OwnMetricProps): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: metricService(metricName, by), stage },
    statistic,
    period,
  });
}
