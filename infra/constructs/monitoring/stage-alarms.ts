import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { type AlarmTopic, fiveMinutes as period, ownMetric, twoOfThree } from './alarm-topic.ts';

/** Rings for what all workers together see of the gateway and of their token. */
export function ringOnGateway(alarms: AlarmTopic): void {
  const gateway = { stage: alarms.stage, by: 'gateway' } as const;
  // Counted at each probe that fails: four or five minutes apart, if a worker has a call to make.
  // One period of four may be empty.
  alarms.ring(alarms, 'GateClosed', ownMetric(metricNames.gateClosed, gateway), { of: 4, breaching: 3 });
  // A pause is how the two agree, and ends after at most a quarter of an hour. An hour of them
  // shows a rate that does not fit.
  const paused = ownMetric(metricNames.gatePaused, { ...gateway, period: Duration.minutes(15) });
  alarms.ring(alarms, 'GatewayThrottles', paused, { of: 4 });
  // One refused call is read as a token that was just replaced; the gate then closes, so what
  // follows are probes, a few minutes apart.
  alarms.ring(alarms, 'AuthRefused', ownMetric(metricNames.authRefused, gateway), twoOfThree);
  // Counted by each environment as it begins, from 14 days before: a stage that works at night
  // alone counts a little later each time. Two days make one message of it.
  const daysLeft = { ...gateway, statistic: 'SampleCount', period: Duration.days(1) } as const;
  alarms.ring(alarms, 'TokenExpires', ownMetric(metricNames.tokenDaysLeft, daysLeft), oneOfTwo);
}

/**
 * A value that comes late finds its period filled already, and the one after it still looks there.
 */
const oneOfTwo = { of: 2, breaching: 1 };

/** `SUM([FILL(commands, 0), FILL(uploads, 0)])`, of metrics by a name for each; gaps are zero. */
export function overAll(
  calculate: 'SUM' | 'MAX',
  label: string,
  usingMetrics: Readonly<Record<string, Metric | MathExpression>>,
): MathExpression {
  const filled = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: `${calculate}([${filled.join(', ')}])`, label, period, usingMetrics });
}

/**
 * Rings when messages wait in a queue and none is received: its mapping was disabled or deleted,
 * its function may not poll any more. Without it that is silence: a function that is not called has
 * no errors. A command that no worker takes is not counted as late.
 * @param queues - by a name for each; an alarm takes ten metrics and expressions, so three are the
 *   most
 */
export function ringOnQueues(alarms: AlarmTopic, queues: Readonly<Record<string, IQueue>>): void {
  const idle = Object.entries(queues).map(([name, queue]) => [name, withoutConsumer(name, queue)] as const);
  // A queue that was idle for six hours sends its metrics up to a quarter of an hour late. A
  // message at the end of a period is counted in the next.
  const metric = overAll('SUM', 'queues that no worker reads', Object.fromEntries(idle));
  alarms.ring(alarms, 'QueueWithoutConsumer', metric, { of: 3 });
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
export function ringOnSchedules(alarms: AlarmTopic, groupName: string): void {
  const ofGroup = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Scheduler',
      metricName,
      dimensionsMap: { ScheduleGroup: groupName },
      statistic: 'Sum',
      period,
    });
  const usingMetrics = { refused: ofGroup('TargetErrorCount'), dropped: ofGroup('InvocationDroppedCount') };
  const metric = overAll('SUM', 'deliveries that were refused or given up', usingMetrics);
  alarms.ring(alarms, 'SchedulesUndelivered', metric, oneOfTwo);
}
