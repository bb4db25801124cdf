import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createMetrics, type Metrics } from '#functions/_handler/output.ts';
import { packageFolder } from '#shared/places.ts';
import { metricNames, metricNamespace } from '#shared/vocabulary/metric-names.ts';
import { alarmPrefix } from '#infra/constructs/monitoring/alarm-names.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { at, type Json, listOf, ofType, type Resource, type StageTemplates, textAt } from '../template.ts';

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
  /** Several if it calculates with them. */
  readonly metrics: readonly WatchedMetric[];
  /** Of each of its metrics. */
  readonly statistics: readonly string[];
  /** What it calculates; none if it looks at one metric as it is. */
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

/** One box of the page. */
export interface Widget {
  readonly type: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly markdown: string;
  /**
   * What its graph names: a metric with what it references resolved no further, or an expression.
   */
  readonly metrics: readonly (WatchedMetric | { readonly expression: string })[];
  /** References to alarms. */
  readonly alarms: readonly Json[];
}

/** The boxes of a stage's one dashboard. */
export function widgetsOf({ workers }: StageTemplates): Widget[] {
  const dashboards = ofType(workers, 'AWS::CloudWatch::Dashboard');
  const [[, dashboard] = []] = dashboards;
  if (dashboard === undefined || dashboards.length > 1) throw new Error(`${dashboards.length} dashboards`);
  const body: Json = JSON.parse(withQuotedReferences(dashboard.Properties['DashboardBody']));
  return listOf(at(body, 'widgets')).map((widget) => ({
    type: textAt(widget, 'type'),
    title: textAt(widget, 'properties.title'),
    x: Number(at(widget, 'x')),
    y: Number(at(widget, 'y')),
    width: Number(at(widget, 'width')),
    height: Number(at(widget, 'height')),
    markdown: textAt(widget, 'properties.markdown'),
    metrics: listOf(at(widget, 'properties.metrics')).map(metricOf),
    alarms: listOf(at(widget, 'properties.alarms')).map(referenceIn),
  }));
}

/** `[namespace, name, dimension, value, …, { options }]`, or `[{ expression, … }]`. */
function metricOf(line: Json): Widget['metrics'][number] {
  const words = listOf(line).filter((word) => typeof word === 'string');
  const [namespace, name = '', ...rest] = words;
  if (namespace === undefined) return { expression: textAt(line, '0.expression') };
  const pairs = rest.flatMap((word, index) => (index % 2 === 0 ? [[word, referenceIn(rest[index + 1] ?? null)]] : []));
  return { namespace, name, dimensions: Object.fromEntries(pairs) };
}

/** A text in which each reference is a text of its own JSON. */
function withQuotedReferences(value: Json | undefined): string {
  const joined = listOf(at(value, 'Fn::Join.1'));
  return joined
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(JSON.stringify(part)).slice(1, -1)))
    .join('');
}

/** What such a text was. */
function referenceIn(value: Json): Json {
  return typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
}

/**
 * What CloudWatch makes of the line that a function of the stage prod writes when it counts a
 * metric.
 */
export function emitted(functionName: string, metric: string) {
  const name = Object.values(metricNames).find((known) => known === metric) ?? metricNames.later;
  return emittedBy(functionName, ({ count }) => count(name, 1));
}

/** The same of whatever it does to its metrics. */
export function emittedBy(functionName: string, change: (metrics: Metrics) => void) {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const metrics = createMetrics({ functionName, stage: 'prod' });
  change(metrics);
  metrics.publish();
  spy.mockRestore();
  const line = JSON.parse(written[0] ?? '{}');
  const [told] = line['_aws'].CloudWatchMetrics;
  const [set]: string[][] = told.Dimensions;
  return {
    namespace: told.Namespace,
    dimensions: Object.fromEntries((set ?? []).map((dimension) => [dimension, line[dimension]])),
  };
}

/** What is counted for every worker: each outcome by its kind, and what goes back to its queue. */
const countedForAll = new Set(['applied', 'superseded', 'skipped', 'ignored', 'parked', 'missedWindow', 'later']);

/** The folders of `functions/` whose sources count a metric. */
export function countedBy(metric: string): string[] {
  const [key = ''] = Object.entries(metricNames).find(([, name]) => name === metric) ?? [];
  if (countedForAll.has(key)) return [...functionNames];
  const word = new RegExp(`metricNames\\.${key}\\b`);
  const folders = globSync('functions/**/*.ts', { cwd: packageFolder })
    .filter((path) => word.test(readFileSync(join(packageFolder, path), 'utf8')))
    .map((path) => path.replaceAll('\\', '/').split('/')[1] ?? '');
  return [...new Set(folders)];
}
