import { at, configurations, listOf, ofType, type StageTemplates, synthesize, textAt } from '../../infra/template.ts';
import type { PriceName, Usage } from './prices.ts';

const minutesOfMonth = 30 * 24 * 60;

/**
 * Lambda keeps this many long polls of 20 seconds open on a queue that is empty, whatever the
 * maximum concurrency (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html: five
 * batches at a time to begin with).
 */
const idlePolls = { connections: 5, perMinute: 3 };

/**
 * Series of our metrics that an idle stage emits all the time; docs/adr/0015-which-alarms-ring.md
 * lists them.
 */
const idleSeries = ['ReconcilerHeartbeat', 'ReconcilerFound', 'OldestOpenSeconds', 'ParkedOpen', 'StopsLate'];

/**
 * What one tick takes, rounded up: a run of 0.2 s in the memory of the function, a handful of
 * queries, two log lines.
 */
export const tick = { seconds: 0.2, ledgerReads: 6, ledgerWrites: 1, logBytes: 1500 };

/**
 * What AWS gives every account in every month, for ever, of what we use (the pages in prices.ts):
 * once, however many stages are in it.
 */
export const alwaysFree: Usage = {
  sqsRequest: 1_000_000,
  lambdaRequest: 1_000_000,
  lambdaGbSecond: 400_000,
  schedulerInvocation: 14_000_000,
  alarmMonth: 10,
  metricMonth: 10,
  dashboardMonth: 3,
  logGb: 5,
  ledgerGbMonth: 25,
};

/**
 * A month in which nothing happens: no upload, no command, no change, of the example as it ships.
 */
export async function idleMonth(): Promise<Usage> {
  const { workers, state } = await synthesize(configurations.example);
  const invocations = scheduledCalls(workers).reduce((sum, everyMinutes) => sum + minutesOfMonth / everyMinutes, 0);
  return {
    sqsRequest:
      ofType(workers, 'AWS::Lambda::EventSourceMapping').length *
      idlePolls.connections *
      idlePolls.perMinute *
      minutesOfMonth,
    alarmMonth: ofType(workers, 'AWS::CloudWatch::Alarm').reduce(
      (sum, [, alarm]) => sum + metricsOf(alarm.Properties),
      0,
    ),
    metricMonth: idleSeries.length,
    dashboardMonth: ofType(workers, 'AWS::CloudWatch::Dashboard').length,
    secretMonth: ofType(state, 'AWS::SecretsManager::Secret').length,
    schedulerInvocation: invocations,
    lambdaRequest: invocations,
    lambdaGbSecond: invocations * tick.seconds * 0.5,
    ledgerRead: invocations * tick.ledgerReads,
    ledgerWrite: invocations * tick.ledgerWrites,
    logGb: (invocations * tick.logBytes) / 1e9,
    objectList: (minutesOfMonth / 5) * 2, // reconcile-ledger lists two prefixes every five minutes
  };
}

/**
 * What is left of a bill once everything that is free for ever is taken off.
 * @param free - @default all that AWS gives, as if nothing else were in the account
 */
export function beyondFree(usage: Usage, free: Usage = alwaysFree): Usage {
  const names = Object.keys(usage) as PriceName[];
  return Object.fromEntries(names.map((name) => [name, Math.max(0, (usage[name] ?? 0) - (free[name] ?? 0))]));
}

/**
 * What is left of the free amounts for a second stage of the account, once the first has taken its
 * own.
 */
export function leftOfFree(usage: Usage): Usage {
  return beyondFree(alwaysFree, usage);
}

/**
 * Minutes between two calls, for each schedule with a `rate(…)`; commands by `cron(…)` are work,
 * not idleness.
 */
function scheduledCalls(workers: StageTemplates['workers']): readonly number[] {
  return ofType(workers, 'AWS::Scheduler::Schedule').flatMap(([, { Properties }]) => {
    const expression = textAt(Properties, 'ScheduleExpression');
    const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
    if (rate === null) return [];
    const minutes = { minute: 1, hour: 60, day: 1440 }[rate[2] ?? ''];
    if (minutes === undefined) throw new Error(`${expression}: a unit that the cost of an idle month does not know`);
    return [Number(rate[1]) * minutes];
  });
}

/** CloudWatch bills each metric that an alarm reads; a calculation reads several. */
function metricsOf(properties: Parameters<typeof at>[0]): number {
  const metrics = listOf(at(properties, 'Metrics'));
  return Math.max(1, metrics.filter((metric) => at(metric, 'MetricStat') !== undefined).length);
}
