import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames } from '#shared/vocabulary/alarm-names.ts';
import { type MetricName, metricNames } from '#shared/vocabulary/metric-names.ts';
import type { AlarmTopic } from './alarm-topic.ts';
import { countLines, type DashboardRow } from './dashboard-row.ts';
import { ownMetric, type OwnMetricProps } from './own-metric.ts';
import { oneOfTwo, RunbookAlarm, twoOfThree } from './runbook-alarm.ts';

/** What all workers together see of the gateway and of their token. */
export class GatewayAlarms extends Construct {
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, { topic }: { readonly topic: AlarmTopic }) {
    super(scope, id);
    const metric = (name: MetricName, of: Pick<OwnMetricProps, 'statistic' | 'period'>) =>
      ownMetric(name, { stage: topic.stage, by: 'gateway', ...of });

    // Counted at each probe that fails: four or five minutes apart, once somebody comes by. One period of four may be empty.
    new RunbookAlarm(this, 'Closed', {
      topic,
      severity: 'page',
      impact: 'For a quarter of an hour nobody here has called the gateway: what was asked for waits.',
      runbook: alarmNames.gateClosed,
      metric: metric(metricNames.gateClosed, { statistic: 'Sum', period: Duration.minutes(5) }),
      rings: { atLeast: 1 },
      periods: { of: 4, breaching: 3 },
    });
    // A pause is how the two agree, and ends after a quarter of an hour at most; an hour of them is a rate that does not fit.
    new RunbookAlarm(this, 'Throttles', {
      topic,
      severity: 'warn',
      impact: 'For an hour the gateway has asked us to slow down: everything takes longer, nothing is lost.',
      runbook: alarmNames.gatewayThrottles,
      metric: metric(metricNames.gatePaused, { statistic: 'Sum', period: Duration.minutes(15) }),
      rings: { atLeast: 1 },
      periods: { of: 4, breaching: 4 },
    });
    // One refused call is read as a token that was just replaced; the gate then closes, so what follows are probes, a few minutes apart.
    new RunbookAlarm(this, 'AuthRefused', {
      topic,
      severity: 'page',
      impact: 'The gateway refuses our token, or there is none: nothing is started, stopped or registered.',
      runbook: alarmNames.authRefused,
      metric: metric(metricNames.authRefused, { statistic: 'Sum', period: Duration.minutes(5) }),
      rings: { atLeast: 1 },
      periods: twoOfThree,
    });
    // Counted once a day by each environment, from 14 days before: a stage that works at night alone counts a little later each time. Two days make
    // one message of it.
    new RunbookAlarm(this, 'TokenExpires', {
      topic,
      severity: 'warn',
      impact: 'The token of the gateway expires within two weeks; after that nothing works.',
      runbook: alarmNames.tokenExpires,
      metric: metric(metricNames.tokenDaysLeft, { statistic: 'SampleCount', period: Duration.days(1) }),
      rings: { atLeast: 1 },
      periods: oneOfTwo,
    });
    const counted = { stage: topic.stage, by: 'gateway' } as const;
    this.dashboardRow = [
      {
        title: 'Is the gate closed?',
        lines: countLines(counted, metricNames.gateClosed, metricNames.gatePaused),
      },
      {
        title: 'Does the gateway take the token, and for how many days?',
        lines: countLines(counted, metricNames.authRefused),
        linesOnTheRight: [metric(metricNames.tokenDaysLeft, { statistic: 'Minimum', period: Duration.days(1) })],
      },
    ];
  }
}
