import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { alarmNames } from '#shared/vocabulary/alarm-names.ts';
import type { AlarmTopic } from './alarm-topic.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

const period = Duration.minutes(5);

/**
 * Rings when messages wait in a queue and nobody receives any: its mapping was disabled or deleted, its function may not poll any more. Without it
 * that is silence: a function that is not called has no errors, and a command that nobody takes is not late for anybody.
 */
export class QueuesAlarm extends RunbookAlarm {
  constructor(
    scope: Construct,
    id: string,
    /** The queues by a name for each; an alarm takes ten metrics and expressions, so three are the most. */
    props: { readonly topic: AlarmTopic; readonly queues: Readonly<Record<string, IQueue>> },
  ) {
    super(scope, id, {
      topic: props.topic,
      severity: 'page',
      impact: 'Messages wait in a queue and nobody takes them: starts, stops, uploads or plans are not done.',
      runbook: alarmNames.queueWithoutConsumer,
      metric: new MathExpression({
        expression: `SUM([${Object.keys(props.queues)
          .map((name) => `FILL(${name}, 0)`)
          .join(', ')}])`,
        label: 'queues that nobody takes from',
        period,
        usingMetrics: Object.fromEntries(
          Object.entries(props.queues).map(([name, queue]) => [name, withoutConsumer(name, queue)]),
        ),
      }),
      rings: { atLeast: 1 },
      // A queue that was idle for six hours sends its metrics up to a quarter of an hour late; a message at the end of a period is taken in the next.
      periods: { of: 3, breaching: 3 },
    });
  }
}

/**
 * 1 where something waits in the queue and nothing was received. SQS sends metrics of active queues only, and does not say whether of what was
 * received nothing is 0 or no value; gaps are filled, and beside the zeros of what waits a series without any value is none of the sum
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
