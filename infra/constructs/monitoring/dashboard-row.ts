import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { MetricName } from '#shared/vocabulary/metric-names.ts';
import { ownMetric, type OwnMetricProps } from './own-metric.ts';

/** One graph of the dashboard: a question in its title, and the lines that answer it. */
export interface DashboardGraph {
  readonly title: string;
  readonly lines: readonly IMetric[];
  /** Of another unit, by the axis on the right. @default none */
  readonly linesOnTheRight?: readonly IMetric[];
  /** Where it gets serious: the value at which an alarm rings, or a limit. @default none */
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

/** How long the oldest message of a queue has waited: also one that was put off on purpose. */
export function waitingLine(queue: IQueue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({
    statistic: 'Maximum',
    period: graphPeriod,
    label: 'oldest message in the queue, s',
  });
}
