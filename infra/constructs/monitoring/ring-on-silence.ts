import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { AlarmTopic } from './alarm-topic.ts';
import { type Monitored, RunbookAlarm } from './runbook-alarm.ts';
import { tickWatch } from '../compute/ticks.ts';

/**
 * Rings when a function that schedules call is not called any more: the schedule was switched off by hand, its role is broken. Nothing where
 * it has no schedule, or one that is too rare for CloudWatch to miss (more than three and a half days).
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
  const { period, silence } = tickWatch(every);
  if (silence === undefined) return;
  new RunbookAlarm(scope, 'NotRunning', {
    ...alarm,
    metric: calls.metricInvocations({ statistic: 'Sum', period }),
    rings: { below: 1 },
    periods: silence,
  });
}
