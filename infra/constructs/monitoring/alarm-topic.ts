import {
  Alarm,
  type AlarmActionConfig,
  ComparisonOperator,
  type IAlarmAction,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { ArnFormat, Aws, Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { commandLine } from '#shared/text/command-line.ts';
import { type MetricName, metricNamespace, metricService } from '#shared/vocabulary/metric-names.ts';
import { type AlarmName, alarmPrefix, alarmText, runbookOfAlarm, type Severity } from './alarm-names.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { alarmTopicName } from '#shared/vocabulary/stack-outputs.ts';
import { letService } from '../grant-actions.ts';

/** When an alarm rings. One bad period is enough by default, since a single one is abnormal. */
export interface Rings {
  /** @default 1 */
  readonly atLeast?: number;
  /**
   * No value at all is fine for what must not be much, and the news for what must not be little.
   */
  readonly below?: number;
  /** Periods that are looked at. @default 1 */
  readonly of?: number;
  /** So many of them are bad. @default all */
  readonly breaching?: number;
}

/** What the topic of a stage needs. */
interface AlarmTopicProps {
  readonly automation: Pick<ResolvedAutomation, 'stage' | 'notify'>;
  /** Of a stage on this machine: absolute. */
  readonly stateFolder?: string | undefined;
}

/** For what the next try mostly repairs. */
export const twoOfThree = { of: 3, breaching: 2 } as const satisfies Rings;

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
  /** What leads a printed command to the stage, as text of a shell. */
  readonly way: string;
  readonly topicArn: string;
  readonly topic: Topic;
  /** What rings here. */
  readonly alarms: Readonly<Record<Severity, Alarm[]>> = { page: [], warn: [] };

  constructor(scope: Construct, id: string, { automation, stateFolder }: AlarmTopicProps) {
    super(scope, id);
    const { stage, notify } = automation;
    this.stage = stage;
    this.way =
      stateFolder === undefined
        ? `--aws --stage ${stage} --region ${Aws.REGION}`
        : commandLine(['--data', stateFolder]);
    this.topic = new Topic(this, 'Default', {
      topicName: alarmTopicName(stage),
      displayName: `Gateway Autopilot (${stage})`, // the sender's name in an e-mail
      enforceSSL: true,
    });
    this.topicArn = this.topic.topicArn;
    for (const endpoint of notify.emails) {
      const props = { topic: this.topic, protocol: SubscriptionProtocol.EMAIL, endpoint };
      Validations.of(new Subscription(this, endpoint, props)).acknowledge({
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

  /**
   * Makes an alarm that rings here and names its page of the runbook.
   * @param metric - with its statistic and its period; an expression fills its gaps itself
   * @example alarms.ring(this, 'RunIdsLow', metric)
   */
  ring(scope: Construct, name: AlarmName, metric: Metric | MathExpression, rings: Rings = {}): void {
    const { atLeast = 1, below, of: periods = 1, breaching = periods } = rings;
    const { severity, impact } = alarmText(name);
    const alarm = new Alarm(scope, name, {
      alarmName: `${alarmPrefix(this.stage)}${name}`,
      alarmDescription: `[${severity}] ${impact}\n\n${runbookOfAlarm(name)}`,
      metric: metric instanceof Metric && isCount(metric) && periods > 1 ? filled(metric) : metric,
      threshold: below ?? atLeast,
      comparisonOperator:
        below === undefined
          ? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: breaching,
      // There is nothing to fill if there was no value for long.
      treatMissingData: below === undefined ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
    });
    alarm.addAlarmAction(this);
    if (severity === 'page') alarm.addOkAction(this);
    this.alarms[severity].push(alarm);
  }

  private letAlarmsIn(): void {
    const ofThisStage = Stack.of(this).formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: `${alarmPrefix(this.stage)}*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.topic.addToResourcePolicy(
      letService(this.topic, 'cloudwatch.amazonaws.com', {
        sid: 'AlarmsOfThisStage',
        actions: ['sns:Publish'],
        resourceArns: [this.topicArn],
        why: 'the alarms of this stage ring',
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
          ArnLike: { 'aws:SourceArn': ofThisStage },
        },
      }),
    );
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

/** The shortest time of a point: metrics of SQS and of most ticks come no oftener. */
export const fiveMinutes = Duration.minutes(5);

/** What of a metric is looked at. */
export interface OwnMetricProps {
  readonly stage: string;
  /** Who counts it; `gateway` if all functions do. */
  readonly by: FunctionName | 'gateway';
  /** @default 'Sum' */
  readonly statistic?: 'Sum' | 'Minimum' | 'Maximum' | 'SampleCount';
  /** @default five minutes */
  readonly period?: Duration;
}

/** A metric that our functions emit, with the very dimensions that they emit it under. */
export function ownMetric(
  metricName: MetricName,
  { stage, by, statistic = 'Sum', period = fiveMinutes }: OwnMetricProps,
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: metricService(metricName, by), stage },
    statistic,
    period,
  });
}
