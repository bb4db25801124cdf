import { beforeAll, describe, expect, test } from 'vitest';
import { flatText } from '#infra/constructs/grant-actions.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { configurations, ofType, type StageTemplates, synthesize, targetOf, textAt } from '../template.ts';
import {
  alarmsOf,
  countedBy,
  emitted,
  emittedBy,
  isOwn,
  type WatchedMetric,
  type Widget,
  widgetsOf,
} from './alarms-of-template.ts';

const isOfDeadLetters = (id: string) => id.includes('DeadLetters');
const isMetric = (metric: Widget['metrics'][number]): metric is WatchedMetric => 'namespace' in metric;

describe('the dashboard of the deployed example', () => {
  let stage: StageTemplates;
  let widgets: readonly Widget[];
  let metrics: readonly WatchedMetric[];
  let searches: readonly string[];

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
    widgets = widgetsOf(stage);
    const shown = widgets.flatMap((widget) => widget.metrics);
    metrics = shown.filter(isMetric);
    searches = shown.flatMap((metric) => (isMetric(metric) ? [] : [metric.expression]));
  });

  test('is one, under the name of stage and region, and refers to fewer than fifty metrics: so it is among the free ones', () => {
    const [[, dashboard] = []] = ofType(stage.workers, 'AWS::CloudWatch::Dashboard');
    const searched = searches.reduce((sum, search) => sum + Number(/, 0, (\d+)\)$/.exec(search)?.[1]), 0);

    expect(flatText(dashboard?.Properties['DashboardName'])).toBe('gateway-autopilot-prod-<AWS::Region>');
    expect(searched).toBeGreaterThan(0);
    expect(metrics.length + searched).toBeLessThan(50);
  });

  test('shows of each function but that of people its errors and its slowest call', () => {
    const shown = metrics
      .filter(({ namespace }) => namespace === 'AWS/Lambda')
      .map(({ name, dimensions }) => `${name} ${targetOf(dimensions['FunctionName'], stage)}`);
    const functions = ofType(stage.workers, 'AWS::Lambda::Function')
      .map(([id]) => id)
      .filter((id) => !id.startsWith('AnswerQuestions'));

    expect(functions).toHaveLength(functionNames.length - 1);
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

  test('finds what is parked by reason where the reconciler writes it', () => {
    const { namespace, dimensions } = emittedBy('reconcile-ledger', ({ level }) =>
      level(metricNames.parkedOpen, 3, 'CONFLICT'),
    );
    const [expression = '', ...others] = searches.filter((search) => search.includes(metricNames.parkedOpen));
    const [, schema, criteria] = /SEARCH\('\{(.+?)\} (.+?)', 'Maximum', 300\)/.exec(expression) ?? [];
    const asked = Object.fromEntries(
      [...(criteria ?? '').matchAll(/(\w+)="([^"]+)"/g)].map(([, name = '', value]) => [name, value]),
    );

    expect(others).toEqual([]);
    expect(new Set(schema?.split(','))).toEqual(new Set([namespace, ...Object.keys(dimensions)]));
    expect({ ...asked, reason: 'CONFLICT' }).toEqual({ ...dimensions, MetricName: metricNames.parkedOpen });
  });
});

test.each(['example', 'second'] as const)(
  'the dashboard of %s has the state of each of its alarms on top, those that wake a person apart',
  async (name) => {
    const stage = await synthesize(configurations[name]);
    const [text, ...states] = widgetsOf(stage);
    const ringing = (severity: string) =>
      alarmsOf(stage)
        .filter(({ properties }) => textAt(properties, 'AlarmDescription').startsWith(`[${severity}]`))
        .map(({ id }) => id)
        .toSorted();

    expect(text?.markdown).toContain(`npx --no -- autopilot doctor --aws --stage ${configurations[name].stage}`);
    expect(states.slice(0, 2).map(({ alarms }) => alarms.map((alarm) => targetOf(alarm, stage)).toSorted())).toEqual([
      ringing('page'),
      ringing('warn'),
    ]);
  },
);
