import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createMetrics, type Metrics } from '#functions/_handler/function-log.ts';
import { compileEventPattern, compileInputTransformer } from '#local/aws/events/rules.ts';
import { asObject } from '#local/template/json.ts';
import { transformerRow } from '#local/template/resource-properties.ts';
import { packageFolder } from '#shared/places.ts';
import { metricNames, metricNamespace } from '#shared/vocabulary/metric-names.ts';
import { alarmPrefix } from '#infra/constructs/monitoring/alarm-names.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { at, type Json, listOf, ofType, type StageTemplates, textAt } from '../template.ts';

/** A metric that an alarm looks at. */
export interface WatchedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, Json>>;
}

/** An alarm of a template. */
export type Alarm = ReturnType<typeof alarmsOf>[number];

/** Every alarm of a stage. */
export function alarmsOf({ workers }: StageTemplates) {
  const stage = workers.name.split('-')[1] ?? '';
  return ofType(workers, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => {
    const name = textAt(Properties, 'AlarmName');
    if (!name.startsWith(alarmPrefix(stage))) throw new Error(`${id}: ${name} does not begin with the stage's prefix`);
    const stats = listOf(Properties['Metrics'])
      .map((query) => at(query, 'MetricStat'))
      .filter((stat) => stat !== undefined);
    /** Several if it calculates with them. */
    const metrics = stats.length === 0 ? [Properties] : stats.map((stat) => at(stat, 'Metric'));
    return {
      id,
      /** Without the stage's prefix: the heading of its page. */
      name: name.slice(alarmPrefix(stage).length),
      properties: Properties,
      metrics: metrics.map((metric): WatchedMetric => ({
        namespace: textAt(metric, 'Namespace'),
        name: textAt(metric, 'MetricName'),
        dimensions: Object.fromEntries(
          listOf(at(metric, 'Dimensions')).map((one) => [textAt(one, 'Name'), at(one, 'Value') ?? null]),
        ),
      })),
      statistics: stats.length === 0 ? [textAt(Properties, 'Statistic')] : stats.map((stat) => textAt(stat, 'Stat')),
      /** What it calculates; none if it looks at one metric as it is. */
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
export type Widget = ReturnType<typeof widgetsOf>[number];

/** The boxes of a stage's one dashboard. */
export function widgetsOf({ workers }: StageTemplates) {
  const dashboards = ofType(workers, 'AWS::CloudWatch::Dashboard');
  const [[, dashboard] = []] = dashboards;
  if (dashboard === undefined || dashboards.length > 1) throw new Error(`${dashboards.length} dashboards`);
  const body: Json = JSON.parse(withQuotedReferences(dashboard.Properties['DashboardBody']));
  return listOf(at(body, 'widgets')).map((widget) => ({
    markdown: textAt(widget, 'properties.markdown'),
    metrics: listOf(at(widget, 'properties.metrics')).map(metricOf),
    alarms: listOf(at(widget, 'properties.alarms')).map(referenceIn),
  }));
}

/** `[namespace, name, dimension, value, …, { options }]`, or `[{ expression, … }]`. */
function metricOf(line: Json): WatchedMetric | { readonly expression: string } {
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

/** What the rules of a stage send for an event: each target, and the text that it gets. */
export function deliveriesOf({ workers }: StageTemplates, event: object) {
  const whole = asObject(JSON.parse(JSON.stringify(event)));
  return ofType(workers, 'AWS::Events::Rule')
    .filter(([id, { Properties }]) => compileEventPattern(asObject(Properties['EventPattern']), id)(whole))
    .flatMap(([, { Properties }]) => listOf(Properties['Targets']))
    .map((target) => {
      const transformer = at(target, 'InputTransformer');
      if (transformer === undefined) return { target, text: JSON.stringify(whole) };
      const InputTemplate = resolvedText(at(transformer, 'InputTemplate'));
      const row = transformerRow.parse({ InputPathsMap: at(transformer, 'InputPathsMap'), InputTemplate });
      return { target, text: compileInputTransformer(row)(whole) };
    });
}

/** A template's text, with a region in the place of its reference. */
function resolvedText(value: Json | undefined): string {
  const parts = listOf(at(value, 'Fn::Join.1'));
  if (parts.length === 0) return typeof value === 'string' ? value : '';
  return parts.map((part) => (typeof part === 'string' ? part : 'eu-west-1')).join('');
}
