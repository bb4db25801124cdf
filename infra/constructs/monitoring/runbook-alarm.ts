import {
  Alarm,
  type AlarmActionConfig,
  ComparisonOperator,
  type IAlarmAction,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Arn, ArnFormat, Aws, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { type AlarmName, alarmPrefix, runbookOfAlarm } from '#shared/vocabulary/metric-names.ts';
import { alarmTopicName } from '#shared/vocabulary/stack-outputs.ts';
import { noteGrantReason } from '../compute/grant-actions.ts';

/** Who is to look, what it means for the work, and the page that says what to do. */
export interface Monitored {
  /**
   * `page`: a person is woken, and notified when it is over. `warn`: it may wait for the morning.
   */
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

/** One bad period is enough, since a single one is abnormal. */
export const oneIsEnough: Periods = { of: 1, breaching: 1 };

/** For what the next try mostly repairs by itself. */
export const twoOfThree: Periods = { of: 3, breaching: 2 };

/**
 * The same where gaps are filled: a value that comes late finds its period filled already, and the
 * one after it still looks there.
 */
export const oneOfTwo: Periods = { of: 2, breaching: 1 };

/** Props of an alarm. */
export interface RunbookAlarmProps extends Monitored {
  readonly topic: AlarmTopic;
  /** With its statistic and its period; an expression fills its gaps itself. */
  readonly metric: Metric | MathExpression;
  /**
   * No value at all is fine for what must not be much, and the news for what must not be little.
   */
  readonly rings: { readonly atLeast: number } | { readonly below: number };
  readonly periods: Periods;
}

/**
 * An alarm that names its page of the runbook.
 * @example new RunbookAlarm(this, 'Failures', { ...monitoring, topic, metric, rings: { atLeast: 1 }, periods: oneIsEnough })
 */
export class RunbookAlarm extends Construct {
  readonly alarm: Alarm;
  readonly severity: Monitored['severity'];

  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    super(scope, id);
    const { topic, metric, rings, periods, severity, impact, runbook } = props;
    const isUpper = 'atLeast' in rings;
    this.severity = severity;
    const alarm = (this.alarm = new Alarm(this, 'Default', {
      alarmName: `${alarmPrefix(topic.stage)}${runbook}`,
      alarmDescription: `[${severity}] ${impact}\n\n${runbookOfAlarm(runbook)}`,
      metric: metric instanceof Metric && isCount(metric) && periods.of > 1 ? filled(metric) : metric,
      threshold: isUpper ? rings.atLeast : rings.below,
      comparisonOperator: isUpper
        ? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
        : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: periods.of,
      datapointsToAlarm: periods.breaching,
      // There is nothing to fill if there was no value for long.
      treatMissingData: isUpper ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
    }));
    alarm.addAlarmAction(topic);
    if (severity === 'page') alarm.addOkAction(topic);
  }
}

/** A count that is missing is zero; a measurement that is missing is unknown. */
function isCount({ statistic }: Metric): boolean {
  return statistic === 'Sum' || statistic === 'SampleCount';
}

/**
 * A count, 0 if nothing was counted. The treatment of missing data is not enough: CloudWatch reads
 * more periods back than it evaluates. If those hold enough values it goes by them, so silence
 * rings late and an alarm stays on for long ("How alarm state is evaluated when data is missing",
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html). Not
 * if one period is all that is looked at: a count that comes late would be missed.
 */
function filled(metric: Metric): MathExpression {
  return new MathExpression({
    expression: 'FILL(counted, 0)',
    label: metric.metricName,
    period: metric.period,
    usingMetrics: { counted: metric },
  });
}

/** Props of the topic. */
export interface AlarmTopicProps {
  readonly stage: string;
  readonly notify: ResolvedAutomation['notify'];
}

/**
 * A stage's single topic: its alarms, and what the outcome bus has for people. Over TLS only. Rules
 * publish under a role: EventBridge sends nothing that a condition of the topic's policy could look
 * at, so a statement for it would let the rules of every account in (EventBridge User Guide, "Using
 * resource-based policies" and troubleshooting). Not
 * encrypted with the key that AWS keeps for SNS: alarms cannot publish to such a topic. That key's
 * policy does not let CloudWatch in and cannot be changed. What is sent holds no prompt and no
 * secret, and of a file at most twelve characters of a wrong label.
 */
export class AlarmTopic extends Construct implements IAlarmAction {
  readonly stage: string;
  readonly topicArn: string;
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { stage, notify }: AlarmTopicProps) {
    super(scope, id);
    this.stage = stage;
    this.topic = new Topic(this, 'Default', {
      topicName: alarmTopicName(stage),
      displayName: `Gateway Autopilot (${stage})`, // the sender's name in an e-mail
      enforceSSL: true,
    });
    this.topicArn = this.topic.topicArn;
    for (const address of notify.emails) {
      const subscription = new Subscription(this, address, {
        topic: this.topic,
        protocol: SubscriptionProtocol.EMAIL,
        endpoint: address,
      });
      Validations.of(subscription).acknowledge({
        id: 'Serverless::Serverless-SNSRedrivePolicy',
        reason:
          'a mailbox that takes nothing is not helped by a queue: the alarm stays in ALARM and the work stays open in the ledger',
      });
    }
    this.letAlarmsIn();
  }

  /** For an alarm that rings here. */
  bind(): AlarmActionConfig {
    return { alarmActionArn: this.topicArn };
  }

  private letAlarmsIn(): void {
    const ofThisStage = Arn.format(
      {
        service: 'cloudwatch',
        resource: 'alarm',
        resourceName: `${alarmPrefix(this.stage)}*`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      },
      Stack.of(this),
    );
    const service = 'cloudwatch.amazonaws.com';
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisStage',
        principals: [new ServicePrincipal(service)],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
          ArnLike: { 'aws:SourceArn': ofThisStage },
        },
      }),
    );
    const why = 'the alarms of this stage ring';
    noteGrantReason(this.topic, service, { actions: ['sns:Publish'], resourceArns: [this.topicArn], why });
  }
}
