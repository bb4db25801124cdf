import type { WatchedMetric } from './alarms-of-template.ts';
import { at, type Json, listOf, ofType, type StageTemplates, textAt } from './template.ts';

/** One box of the page. */
export interface Widget {
  readonly type: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly markdown: string;
  /** What its graph names: a metric with what it references resolved no further, or an expression. */
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
