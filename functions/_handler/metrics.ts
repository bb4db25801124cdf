import { type MetricName, metricNamespace, metricService } from '#shared/vocabulary/metric-names.ts';
import type { ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import { writeLine } from './output.ts';

/** The counts of one function, collected while it works and written at the end of each batch or tick. */
export interface Metrics {
  readonly count: (metric: MetricName, value: number) => void;
  /** A level as it is now, in seconds where the name says so; with a reason under the dimension `reason`. */
  readonly level: (metric: MetricName, value: number, reason?: ReasonCode) => void;
  /** Writes what was counted; nothing where nothing was. */
  readonly publish: () => void;
}

type Unit = 'Count' | 'Seconds';

/** CloudWatch takes no more values of one metric in a line. */
const mostValues = 100;

/**
 * Makes the metrics of one function. What it writes is CloudWatch's embedded metric format, one line for all values of the same dimensions
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html). By Powertools the same
 * line took an eighth of the CPU of a record that comes alone (docs/performance.md).
 */
export function createMetrics(options: { readonly functionName: string; readonly stage: string }): Metrics {
  const { functionName, stage } = options;
  const stored = new Map<MetricName, number[]>();

  function add(metric: MetricName, value: number): void {
    const values = stored.get(metric);
    if (values === undefined) stored.set(metric, [value]);
    else if (values.push(value) === mostValues) publish();
  }

  function publish(): void {
    const lines = Map.groupBy(stored, ([metric]) => metricService(metric, functionName));
    stored.clear();
    for (const [service, line] of lines) writeValues({ service, stage }, line);
  }

  return {
    count: add,
    level(metric, value, reason) {
      if (reason === undefined) add(metric, value);
      // A line of its own: a dimension holds for every metric of its line.
      else writeValues({ service: metricService(metric, functionName), stage, reason }, [[metric, [value]]]);
    },
    publish,
  };
}

function writeValues(
  dimensions: Readonly<Record<string, string>>,
  stored: readonly (readonly [MetricName, readonly number[]])[],
): void {
  const described = {
    Namespace: metricNamespace,
    Dimensions: [Object.keys(dimensions)],
    Metrics: stored.map(([metric]) => ({ Name: metric, Unit: unitOf(metric) })),
  };
  const line: Record<string, unknown> = {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [described] },
    ...dimensions,
  };
  for (const [metric, all] of stored) line[metric] = all.length === 1 ? all[0] : all;
  writeLine(JSON.stringify(line));
}

function unitOf(metric: MetricName): Unit {
  return metric.endsWith('Seconds') ? 'Seconds' : 'Count';
}
