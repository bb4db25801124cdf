import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { flatText } from '#infra/constructs/compute/grant-actions.ts';
import { packageFolder } from '#shared/places.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { type FunctionName, functionNames } from '#shared/vocabulary/resource-names.ts';
import { configurations, ofType, type StageTemplates, synthesize, targetOf, textAt } from '../template.ts';
import {
  alarmsOf,
  constructOf,
  countedBy,
  emitted,
  emittedBy,
  isOwn,
  type WatchedMetric,
  type Widget,
  widgetsOf,
} from './alarms-of-template.ts';

const isOfDeadLetters = (id: string) => id.includes('DeadLetters');

/** The alarms that a box shows, by their ids. */
function alarmsOn(widget: Widget | undefined, stage: StageTemplates): string[] {
  return (widget?.alarms ?? []).map((alarm) => targetOf(alarm, stage)).toSorted();
}

/** The alarms of a severity, by their ids. */
function ringing(severity: string, stage: StageTemplates): string[] {
  return alarmsOf(stage)
    .filter(({ properties }) => textAt(properties, 'AlarmDescription').startsWith(`[${severity}]`))
    .map(({ id }) => id)
    .toSorted();
}

const isMetric = (metric: Widget['metrics'][number]): metric is WatchedMetric => 'namespace' in metric;

/**
 * The person who asked sees its failure; its two metrics would take the dashboard past the fifty
 * that are free.
 */
const withoutRow: readonly FunctionName[] = ['answer-questions'];

describe('the dashboard of the deployed example', () => {
  let stage: StageTemplates;
  let widgets: readonly Widget[];
  let metrics: readonly WatchedMetric[];

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
    widgets = widgetsOf(stage);
    metrics = widgets.flatMap((widget) => widget.metrics).filter(isMetric);
  });

  /** The expressions of the page, and how many metrics each shows at most. */
  const searches = () =>
    widgets
      .flatMap((widget) => widget.metrics)
      .flatMap((metric) => (isMetric(metric) ? [] : [metric.expression]))
      .map((expression) => ({ expression, most: Number(/, 0, (\d+)\)$/.exec(expression)?.[1]) }));

  test('is one, under the name of stage and region, and refers to fewer than fifty metrics: so it is among the free ones', () => {
    const [[, dashboard] = []] = ofType(stage.workers, 'AWS::CloudWatch::Dashboard');

    expect(flatText(dashboard?.Properties['DashboardName'])).toBe('gateway-autopilot-prod-<AWS::Region>');
    expect(ofType(stage.state, 'AWS::CloudWatch::Dashboard')).toEqual([]);
    const searched = searches().reduce((sum, { most }) => sum + most, 0);
    expect(searched).toBeGreaterThan(0);
    expect(metrics.length + searched).toBeLessThan(50);
    expect(readFileSync(join(packageFolder, 'docs', 'architecture.md'), 'utf8')).toContain(
      `refers to ${metrics.length + searched} metrics`,
    );
  });

  test('has the state of each alarm on top, those that wake a person apart', () => {
    const [text, pages, warnings, ...graphs] = widgets;

    expect(text?.markdown).toContain('autopilot doctor --aws --stage prod');
    expect([pages?.type, warnings?.type]).toEqual(['alarm', 'alarm']);
    expect(alarmsOn(pages, stage)).toEqual(ringing('page', stage));
    expect(alarmsOn(warnings, stage)).toEqual(ringing('warn', stage));
    expect(new Set(graphs.map(({ type }) => type))).toEqual(new Set(['metric']));
  });

  test('fills the width of the page in rows, and asks each question once', () => {
    const rows = Map.groupBy(widgets, ({ y }) => y);
    const titles = widgets.map(({ title }) => title).filter((title) => title !== '');

    for (const [y, row] of rows) {
      expect(row.map(({ x }) => x)).toEqual(row.map((_, index) => (index * 24) / row.length));
      expect(
        row.reduce((sum, { width }) => sum + width, 0),
        `the row at ${y}`,
      ).toBe(24);
    }
    expect(titles).toEqual([...new Set(titles)]);
  });

  test('shows of each function that does work its errors and its slowest call', () => {
    const shown = metrics
      .filter(({ namespace }) => namespace === 'AWS/Lambda')
      .map(({ name, dimensions }) => `${name} ${targetOf(dimensions['FunctionName'], stage)}`);
    const functions = ofType(stage.workers, 'AWS::Lambda::Function')
      .map(([id]) => id)
      .filter((id) => !withoutRow.some((name) => id.startsWith(`${constructOf(name)}Function`)));

    expect(functions).toHaveLength(functionNames.length - withoutRow.length);
    expect(shown.toSorted()).toEqual(functions.flatMap((id) => [`Duration ${id}`, `Errors ${id}`]).toSorted());
  });

  test('shows how long each queue waits, and each queue of dead letters', () => {
    const shown = (name: string) =>
      metrics
        .filter((metric) => metric.namespace === 'AWS/SQS' && metric.name === name)
        .map(({ dimensions }) => targetOf(dimensions['QueueName'], stage))
        .toSorted();
    const queues = ofType(stage.state, 'AWS::SQS::Queue').map(([id]) => id);

    expect(shown('ApproximateAgeOfOldestMessage')).toEqual(queues.filter((id) => !isOfDeadLetters(id)).toSorted());
    expect(shown('ApproximateNumberOfMessagesVisible')).toEqual(queues.filter(isOfDeadLetters).toSorted());
  });

  test('shows of our own what a function counts, under the dimensions that it writes', () => {
    const own = metrics.filter(isOwn);

    expect(own.length).toBeGreaterThan(15);
    for (const { namespace, name, dimensions } of own) {
      const service = textAt(dimensions, 'service');
      const counter = service === 'gateway' ? 'watch-campaigns' : service;

      expect({ namespace, dimensions }, name).toEqual(emitted(counter, name));
      expect(countedBy(name), name).toContain(service === 'gateway' ? '_gateway' : service);
    }
  });

  test('shows of every worker a row of its own beside its function', () => {
    const rows = [...Map.groupBy(widgets, ({ y }) => y).values()];

    for (const name of functionNames.filter((one) => !withoutRow.includes(one))) {
      const row = rows.find((boxes) => boxes.some(({ title }) => title.includes(name))) ?? [];
      const [own] = row.flatMap((widget) => widget.metrics);

      expect(row.length, name).toBeGreaterThan(1);
      expect(own, name).toBeDefined();
      expect(row.at(-1)?.title, name).toBe(`Does ${name} fail, is it slow?`);
      expect(targetOf(row.at(-1)?.metrics.find(isMetric)?.dimensions['FunctionName'], stage)).toMatch(
        new RegExp(`^${constructOf(name)}Function`),
      );
    }
  });

  test('finds what is parked by reason where the reconciler writes it', () => {
    const { namespace, dimensions } = emittedBy('reconcile-ledger', ({ level }) =>
      level(metricNames.parkedOpen, 3, 'CONFLICT'),
    );
    const [{ expression } = { expression: '' }, ...others] = searches();
    const [, schema, criteria] = /SEARCH\('\{(.+?)\} (.+?)', 'Maximum', 300\)/.exec(expression) ?? [];
    const asked = Object.fromEntries(
      [...(criteria ?? '').matchAll(/(\w+)="([^"]+)"/g)].map(([, name = '', value]) => [name, value]),
    );

    expect(others).toEqual([]);
    expect(new Set(schema?.split(','))).toEqual(new Set([namespace, ...Object.keys(dimensions)]));
    expect({ ...asked, reason: 'CONFLICT' }).toEqual({ ...dimensions, MetricName: metricNames.parkedOpen });
  });
});

test('a stage that watches nothing has its dashboard too, without the alarms that it lacks', async () => {
  const stage = await synthesize(configurations.second);
  const shown = widgetsOf(stage).flatMap(({ alarms }) => alarms.map((alarm) => targetOf(alarm, stage)));

  expect(shown.toSorted()).toEqual(
    alarmsOf(stage)
      .map(({ id }) => id)
      .toSorted(),
  );
  const [[, dashboard] = []] = ofType(stage.workers, 'AWS::CloudWatch::Dashboard');
  expect(flatText(dashboard?.Properties['DashboardName'])).toBe('gateway-autopilot-acceptance-<AWS::Region>');
});
