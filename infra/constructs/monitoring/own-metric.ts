import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Duration } from 'aws-cdk-lib/core';
import type { FunctionName } from '#shared/vocabulary/function-names.ts';
import { type MetricName, metricNamespace, metricService } from '#shared/vocabulary/metric-names.ts';

/** What of a metric is looked at. */
export interface OwnMetricProps {
  readonly stage: string;
  /** Who counts it; `gateway` where all functions do. */
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
