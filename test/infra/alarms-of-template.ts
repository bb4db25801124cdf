import { alarmPrefix } from '#shared/vocabulary/alarm-names.ts';
import { metricNamespace } from '#shared/vocabulary/metric-names.ts';
import { at, type Json, listOf, ofType, type Resource, type StageTemplates, textAt } from './template.ts';

/** A metric that an alarm looks at. */
export interface WatchedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, Json>>;
}

/** An alarm of a template. */
export interface Alarm {
  readonly id: string;
  /** Without the stage's prefix: the heading of its page. */
  readonly name: string;
  readonly properties: Resource['Properties'];
  /** Several where it calculates with them. */
  readonly metrics: readonly WatchedMetric[];
  /** Of each of its metrics. */
  readonly statistics: readonly string[];
  /** What it calculates; none where it looks at one metric as it is. */
  readonly expressions: readonly string[];
  readonly periodSeconds: number;
}

/** Every alarm of a stage. */
export function alarmsOf({ workers }: StageTemplates): Alarm[] {
  const stage = workers.name.split('-')[1] ?? '';
  return ofType(workers, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => {
    const name = textAt(Properties, 'AlarmName');
    if (!name.startsWith(alarmPrefix(stage))) throw new Error(`${id}: ${name} does not begin with the stage's prefix`);
    const stats = listOf(Properties['Metrics'])
      .map((query) => at(query, 'MetricStat'))
      .filter((stat) => stat !== undefined);
    const metrics = stats.length === 0 ? [Properties] : stats.map((stat) => at(stat, 'Metric'));
    return {
      id,
      name: name.slice(alarmPrefix(stage).length),
      properties: Properties,
      metrics: metrics.map((metric) => ({
        namespace: textAt(metric, 'Namespace'),
        name: textAt(metric, 'MetricName'),
        dimensions: Object.fromEntries(
          listOf(at(metric, 'Dimensions')).map((one) => [textAt(one, 'Name'), at(one, 'Value') ?? null]),
        ),
      })),
      statistics: stats.length === 0 ? [textAt(Properties, 'Statistic')] : stats.map((stat) => textAt(stat, 'Stat')),
      expressions: listOf(Properties['Metrics'])
        .map((query) => textAt(query, 'Expression'))
        .filter(Boolean),
      periodSeconds: Number(Properties['Period'] ?? at(stats[0], 'Period')),
    };
  });
}

/** Whether our functions emit it. */
export function isOwn(metric: WatchedMetric): boolean {
  return metric.namespace === metricNamespace;
}

/** What the construct of a function is called, and its alarms begin with: `RegisterDatasets`. */
export function constructOf(functionName: string): string {
  return functionName.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
