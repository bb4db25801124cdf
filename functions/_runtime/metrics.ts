import { Metrics as PowertoolsMetrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type MetricName, metricNamespace, metricService } from '../../shared/vocabulary/metric-names.ts';
import type { ReasonCode } from '../../shared/vocabulary/reason-codes.ts';

/** The counts of one function, collected while it works and written at the end of each batch or tick. */
export interface Metrics {
  readonly count: (metric: MetricName, value: number) => void;
  /** A level as it is now, in seconds where the name says so; with a reason under the dimension `reason`. */
  readonly level: (metric: MetricName, value: number, reason?: ReasonCode) => void;
  /** Writes what was counted; nothing where nothing was. */
  readonly publish: () => void;
}

/** Makes the metrics of one function. */
export function createMetrics(options: { readonly functionName: string; readonly stage: string }): Metrics {
  const lines = new Map<string, PowertoolsMetrics>();
  const lineOf = (metric: MetricName): PowertoolsMetrics => {
    const service = metricService(metric, options.functionName);
    const line = lines.get(service) ?? newLine(service, options.stage);
    lines.set(service, line);
    return line;
  };
  return {
    count: (metric, value) => {
      lineOf(metric).addMetric(metric, MetricUnit.Count, value);
    },
    level(metric, value, reason) {
      const unit = metric.endsWith('Seconds') ? MetricUnit.Seconds : MetricUnit.Count;
      // A line of its own: a dimension holds for every metric of its line.
      const line = reason === undefined ? lineOf(metric) : lineOf(metric).singleMetric().addDimension('reason', reason);
      line.addMetric(metric, unit, value);
    },
    publish() {
      for (const line of lines.values()) if (line.hasStoredMetrics()) line.publishStoredMetrics();
    },
  };
}

function newLine(serviceName: string, stage: string): PowertoolsMetrics {
  return new PowertoolsMetrics({ namespace: metricNamespace, serviceName, defaultDimensions: { stage } });
}
