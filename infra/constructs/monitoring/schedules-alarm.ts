import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { alarmNames } from '#shared/vocabulary/alarm-names.ts';
import type { AlarmTopic } from './alarm-topic.ts';
import { oneOfTwo, RunbookAlarm } from './runbook-alarm.ts';

const period = Duration.minutes(5);

/**
 * Rings when the target of a schedule refused, or Scheduler gave up. A command is tried for a day, so this is long before it is a dead letter;
 * where the role is broken the target is never called, and giving up is all that is counted. The metrics have the group as their one dimension
 * (EventBridge Scheduler User Guide, monitoring with CloudWatch).
 */
export class SchedulesAlarm extends RunbookAlarm {
  constructor(scope: Construct, id: string, props: { readonly topic: AlarmTopic; readonly groupName: string }) {
    super(scope, id, {
      topic: props.topic,
      severity: 'warn',
      impact: 'A schedule does not reach its target: a start, a stop or a look is late, and given up after a day.',
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
