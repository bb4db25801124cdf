import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type AlarmName, alarmPrefix, runbookOfAlarm } from '../../shared/vocabulary/alarm-names.ts';
import type { AlarmTopic } from './alarm-topic.ts';

/** Who is to look, what it means for the work, and the page that says what to do. */
export interface Monitored {
  /** `page`: somebody is woken, and told when it is over. `warn`: it may wait for the morning. */
  readonly severity: 'page' | 'warn';
  /** One sentence: it is what the e-mail says and what the page begins with. */
  readonly impact: string;
  /** The alarm's name, and the heading of its page. */
  readonly runbook: AlarmName;
}

/** How something is watched, or why nothing has to. */
export type Monitoring = Monitored | { readonly none: string };

/** So many breaching periods of so many. */
export interface Periods {
  readonly of: number;
  readonly breaching: number;
}

/** One bad period is enough: where a single one is abnormal. */
export const oneIsEnough: Periods = { of: 1, breaching: 1 };

/** Where the next try repairs most of it by itself. */
export const twoOfThree: Periods = { of: 3, breaching: 2 };

/** What an alarm needs to be told. */
export interface RunbookAlarmProps extends Monitored {
  readonly topic: AlarmTopic;
  /** With its statistic and its period. */
  readonly metric: IMetric;
  readonly rings: { readonly atLeast: number } | { readonly below: number };
  readonly periods: Periods;
  /** What no value at all means. @default 'fine' */
  readonly silence?: 'fine' | 'rings';
}

/**
 * An alarm that names its page of the runbook.
 * @example new RunbookAlarm(this, 'Failures', { ...monitoring, topic, metric, rings: { atLeast: 1 }, periods: oneIsEnough })
 */
export class RunbookAlarm extends Construct {
  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    super(scope, id);
    const { topic, metric, rings, periods, silence = 'fine', severity, impact, runbook } = props;
    const isUpper = 'atLeast' in rings;
    const alarm = new Alarm(this, 'Default', {
      alarmName: `${alarmPrefix(topic.stage)}${runbook}`,
      alarmDescription: `[${severity}] ${impact}\n\n${runbookOfAlarm(runbook)}`,
      metric,
      threshold: isUpper ? rings.atLeast : rings.below,
      comparisonOperator: isUpper
        ? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
        : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: periods.of,
      datapointsToAlarm: periods.breaching,
      treatMissingData: silence === 'rings' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(topic);
    if (severity === 'page') alarm.addOkAction(topic);
  }
}
