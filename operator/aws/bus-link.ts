import {
  DeleteRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-eventbridge';
import { type SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { listSubscriptions } from './topic-subscriptions.ts';

/** A rule of a bus. */
interface BusRule {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Its event pattern, as JSON. */
  readonly pattern: string;
}

/** A bus as the links of a stage see it. */
export interface BusLink {
  readonly rules: (namePrefix?: string) => Promise<readonly BusRule[]>;
  /** ARNs of what a rule sends to. */
  readonly targetsOf: (ruleName: string) => Promise<readonly string[]>;
  /** Sends what matches the pattern to a queue. */
  readonly observe: (ruleName: string, pattern: object, queueArn: string) => Promise<void>;
  /** Takes a rule of `observe` away, whole or half made; one that is not there is no error. */
  readonly unobserve: (ruleName: string) => Promise<void>;
}

const targetId = 'Observer';

/** The bus of a stage by its name. */
export function createBusLink(client: EventBridgeClient, bus: string): BusLink {
  return {
    async rules(namePrefix) {
      const rules: BusRule[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.send(
          new ListRulesCommand({ EventBusName: bus, NamePrefix: namePrefix, NextToken: cursor }),
        );
        for (const { Name = '', State, EventPattern = '' } of page.Rules ?? [])
          rules.push({ name: Name, isEnabled: State !== 'DISABLED', pattern: EventPattern });
        cursor = page.NextToken;
      } while (cursor !== undefined);
      return rules;
    },
    async targetsOf(ruleName) {
      // A rule has five targets by default, and a page holds a hundred.
      const { Targets = [] } = await client.send(new ListTargetsByRuleCommand({ EventBusName: bus, Rule: ruleName }));
      return Targets.map(({ Arn = '' }) => Arn);
    },
    async observe(ruleName, pattern, queueArn) {
      const rule = { EventBusName: bus, Name: ruleName, EventPattern: JSON.stringify(pattern) };
      await client.send(new PutRuleCommand(rule));
      const Targets = [{ Id: targetId, Arn: queueArn }];
      const answer = await client.send(new PutTargetsCommand({ EventBusName: bus, Rule: ruleName, Targets }));
      // PutTargets answers 200 even if it took none.
      const [failed] = answer.FailedEntries ?? [];
      if (failed !== undefined) throw new Error(`the rule ${ruleName} takes no target: ${failed.ErrorCode}`);
    },
    async unobserve(ruleName) {
      try {
        await client.send(new RemoveTargetsCommand({ EventBusName: bus, Rule: ruleName, Ids: [targetId] }));
        await client.send(new DeleteRuleCommand({ EventBusName: bus, Name: ruleName }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}

/** A subscription of a queue. */
interface QueueSubscription {
  readonly arn: string;
  readonly queueArn: string;
}

/** A topic as the links of a stage see it. */
export interface TopicLink {
  readonly arn: string;
  /**
   * Subscribes a queue of the same account, which needs no confirmation; answers the ARN of the
   * subscription.
   */
  readonly subscribe: (queueArn: string) => Promise<string>;
  readonly unsubscribe: (subscriptionArn: string) => Promise<void>;
  readonly queues: () => Promise<readonly QueueSubscription[]>;
}

/** A topic by its ARN. */
export function createTopicLink(client: SNSClient, topicArn: string): TopicLink {
  return {
    arn: topicArn,
    async subscribe(queueArn) {
      const Attributes = { RawMessageDelivery: 'true' };
      const subscription = {
        TopicArn: topicArn,
        Protocol: 'sqs',
        Endpoint: queueArn,
        Attributes,
        ReturnSubscriptionArn: true,
      };
      const { SubscriptionArn = '' } = await client.send(new SubscribeCommand(subscription));
      return SubscriptionArn;
    },
    async unsubscribe(subscriptionArn) {
      await client.send(new UnsubscribeCommand({ SubscriptionArn: subscriptionArn }));
    },
    async queues() {
      const subscriptions = await listSubscriptions(client, topicArn);
      return subscriptions.flatMap(({ arn, protocol, endpoint }) =>
        arn === undefined || protocol !== 'sqs' ? [] : [{ arn, queueArn: endpoint }],
      );
    },
  };
}
