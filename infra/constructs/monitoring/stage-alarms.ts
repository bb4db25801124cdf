import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmNames, type MetricName, metricNames } from '#shared/vocabulary/metric-names.ts';
import { tickWatch } from '../compute/stage-schedules.ts';
import { type AlarmTopic, type Monitored, oneOfTwo, RunbookAlarm, twoOfThree } from './runbook-alarm.ts';
import { countLines, type DashboardRow, ownMetric, type OwnMetricProps } from './stage-dashboard.ts';

/** What all workers together see of the gateway and of their token. */
export class GatewayAlarms extends Construct {
  readonly dashboardRow: DashboardRow;

  constructor(scope: Construct, id: string, { topic }: { readonly topic: AlarmTopic }) {
    super(scope, id);
    const metric = (name: MetricName, of: Pick<OwnMetricProps, 'statistic' | 'period'>) =>
      ownMetric(name, { stage: topic.stage, by: 'gateway', ...of });

    // Counted at each probe that fails: four or five minutes apart, if a worker has a call to make.
    // One period of four may be empty.
    new RunbookAlarm(this, 'Closed', {
      topic,
      severity: 'page',
      impact: 'For a quarter of an hour no worker has called the gateway: commands and uploads wait.',
      runbook: alarmNames.gateClosed,
      metric: metric(metricNames.gateClosed, { statistic: 'Sum', period: Duration.minutes(5) }),
      rings: { atLeast: 1 },
      periods: { of: 4, breaching: 3 },
    });
    // A pause is how the two agree, and ends after at most a quarter of an hour. An hour of them
    // shows a rate that does not fit.
    new RunbookAlarm(this, 'Throttles', {
      topic,
      severity: 'warn',
      impact: 'For an hour the gateway has asked us to slow down: everything takes longer, nothing is lost.',
      runbook: alarmNames.gatewayThrottles,
      metric: metric(metricNames.gatePaused, { statistic: 'Sum', period: Duration.minutes(15) }),
      rings: { atLeast: 1 },
      periods: { of: 4, breaching: 4 },
    });
    // One refused call is read as a token that was just replaced; the gate then closes, so what
    // follows are probes, a few minutes apart.
    new RunbookAlarm(this, 'AuthRefused', {
      topic,
      severity: 'page',
      impact: 'The gateway refuses our token, or there is none: nothing is started, stopped or registered.',
      runbook: alarmNames.authRefused,
      metric: metric(metricNames.authRefused, { statistic: 'Sum', period: Duration.minutes(5) }),
      rings: { atLeast: 1 },
      periods: twoOfThree,
    });
    // Counted once a day by each environment, from 14 days before: a stage that works at night
    // alone counts a little later each time. Two days make one message of it.
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

const period = Duration.minutes(5);

/**
 * Rings when messages wait in a queue and none is received: its mapping was disabled or deleted,
 * its function may not poll any more. Without it that is silence: a function that is not called has
 * no errors. A command that no worker takes is not counted as late.
 */
export class QueuesAlarm extends RunbookAlarm {
  constructor(
    scope: Construct,
    id: string,
    /**
     * The queues by a name for each; an alarm takes ten metrics and expressions, so three are the
     * most.
     */
    props: { readonly topic: AlarmTopic; readonly queues: Readonly<Record<string, IQueue>> },
  ) {
    super(scope, id, {
      topic: props.topic,
      severity: 'page',
      impact: 'Messages wait in a queue and no worker takes them: starts, stops or uploads are not done.',
      runbook: alarmNames.queueWithoutConsumer,
      metric: new MathExpression({
        expression: `SUM([${Object.keys(props.queues)
          .map((name) => `FILL(${name}, 0)`)
          .join(', ')}])`,
        label: 'queues that no worker reads',
        period,
        usingMetrics: Object.fromEntries(
          Object.entries(props.queues).map(([name, queue]) => [name, withoutConsumer(name, queue)]),
        ),
      }),
      rings: { atLeast: 1 },
      // A queue that was idle for six hours sends its metrics up to a quarter of an hour late. A
      // message at the end of a period is counted in the next.
      periods: { of: 3, breaching: 3 },
    });
  }
}

/**
 * 1 where something waits in the queue and nothing was received. SQS sends metrics of active queues
 * only. Its documentation does not say whether an hour without a receive is 0 or no value, so gaps
 * are filled. A series without any value is left out of the sum
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html).
 */
function withoutConsumer(name: string, queue: IQueue): MathExpression {
  const [waiting, received] = [`${name}Waiting`, `${name}Received`];
  return new MathExpression({
    expression: `IF(${waiting} > 0 AND SUM([${waiting} * 0, FILL(${received}, 0)]) < 1, 1, 0)`,
    period,
    usingMetrics: {
      [waiting]: queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
      [received]: queue.metricNumberOfMessagesReceived({ statistic: 'Sum', period }),
    },
  });
}

/**
 * Rings when the target of a schedule refused, or Scheduler gave up. A command is tried for a day,
 * so this is long before it is a dead letter. If the role is broken, the target is never called,
 * and only the giving up is counted. The metrics have the group as their one dimension (EventBridge
 * Scheduler User Guide, monitoring with CloudWatch).
 */
export class SchedulesAlarm extends RunbookAlarm {
  constructor(scope: Construct, id: string, props: { readonly topic: AlarmTopic; readonly groupName: string }) {
    super(scope, id, {
      topic: props.topic,
      severity: 'warn',
      impact:
        'A schedule does not reach its target. A start or a stop is late, and parked after a day; a look waits for its next period.',
      runbook: alarmNames.schedulesUndelivered,
      metric: new MathExpression({
        expression: 'FILL(refused, 0) + FILL(dropped, 0)',
        label: 'deliveries that were refused or given up',
        period,
        usingMetrics: {
          refused: ofGroup('TargetErrorCount', props.groupName),
          dropped: ofGroup('InvocationDroppedCount', props.groupName),
        },
      }),
      rings: { atLeast: 1 },
      periods: oneOfTwo,
    });
  }
}

function ofGroup(metricName: string, groupName: string): Metric {
  return new Metric({
    namespace: 'AWS/Scheduler',
    metricName,
    dimensionsMap: { ScheduleGroup: groupName },
    statistic: 'Sum',
    period,
  });
}

/**
 * Rings when a function that schedules call is not called any more: the schedule was switched off
 * by hand, its role is broken. None if it has no schedule, or one that is too rare for CloudWatch
 * to miss (more than three and a half days).
 */
export function ringOnSilence(
  scope: Construct,
  watch: Monitored & {
    readonly topic: AlarmTopic;
    readonly calls: LambdaFunction;
    /** Undefined: no schedule. */
    readonly every: Duration | undefined;
  },
): void {
  const { calls, every, ...alarm } = watch;
  if (every === undefined) return;
  const { period: tickPeriod, silence } = tickWatch(every);
  if (silence === undefined) return;
  new RunbookAlarm(scope, 'NotRunning', {
    ...alarm,
    metric: calls.metricInvocations({ statistic: 'Sum', period: tickPeriod }),
    rings: { below: 1 },
    periods: silence,
  });
}
