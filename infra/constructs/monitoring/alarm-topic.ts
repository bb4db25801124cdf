import type { AlarmActionConfig, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Arn, ArnFormat, Aws, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { alarmPrefix } from '#shared/vocabulary/alarm-names.ts';
import { alarmTopicName } from '#shared/vocabulary/stack-outputs.ts';
import { noteGrantReason } from '../compute/grant-actions.ts';

/** What the topic needs to be told. */
export interface AlarmTopicProps {
  readonly stage: string;
  readonly notify: ResolvedAutomation['notify'];
}

/**
 * The one place where a stage rings: its alarms, and what the outcome bus has for people. Over TLS only. Not encrypted with the key that AWS
 * keeps for SNS: alarms cannot publish to such a topic, since that key's policy does not let CloudWatch in and cannot be changed. What is sent
 * holds no prompt and no secret, and of a file at most twelve characters of a wrong label.
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

  /**
   * Lets rules publish. Without a condition on purpose: "You can't use Condition blocks in Amazon SNS topic policies for EventBridge" (EventBridge
   * User Guide, troubleshooting), such a message would be dropped. A rule of another account needs a role of its own, which nothing here lets in.
   */
  letRulesIn(): void {
    this.letIn('events.amazonaws.com', 'OutcomesForPeople', 'what people must see of the outcome bus');
    Validations.of(this.topic).acknowledge({
      id: 'Autopilot::service-by-source[events.amazonaws.com]',
      reason:
        'EventBridge publishes to a topic only where the policy has no condition (EventBridge User Guide, troubleshooting)',
    });
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
    this.letIn('cloudwatch.amazonaws.com', 'AlarmsOfThisStage', 'the alarms of this stage ring', {
      StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      ArnLike: { 'aws:SourceArn': ofThisStage },
    });
  }

  private letIn(service: string, sid: string, why: string, conditions?: Record<string, Record<string, string>>): void {
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid,
        principals: [new ServicePrincipal(service)],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions,
      }),
    );
    noteGrantReason(this.topic, service, { actions: ['sns:Publish'], resourceArns: [this.topicArn], why });
  }
}
