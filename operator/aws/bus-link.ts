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

const targetId = 'Observer';

/** The bus of a stage by its name. */
export function createBusLink(client: EventBridgeClient, bus: string) {
  return {
    /** Its rules; a pattern is JSON. */
    async rules(namePrefix?: string) {
      const rules: { readonly name: string; readonly isEnabled: boolean; readonly pattern: string }[] = [];
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
    /** ARNs of what a rule sends to. */
    async targetsOf(ruleName: string) {
      // A rule has five targets by default, and a page holds a hundred.
      const { Targets = [] } = await client.send(new ListTargetsByRuleCommand({ EventBusName: bus, Rule: ruleName }));
      return Targets.map(({ Arn = '' }) => Arn);
    },
    /** Sends what matches the pattern to a queue. */
    async observe(ruleName: string, pattern: object, queueArn: string) {
      const rule = { EventBusName: bus, Name: ruleName, EventPattern: JSON.stringify(pattern) };
      await client.send(new PutRuleCommand(rule));
      const Targets = [{ Id: targetId, Arn: queueArn }];
      const answer = await client.send(new PutTargetsCommand({ EventBusName: bus, Rule: ruleName, Targets }));
      // PutTargets answers 200 even if it took none.
      const [failed] = answer.FailedEntries ?? [];
      if (failed !== undefined) throw new Error(`the rule ${ruleName} takes no target: ${failed.ErrorCode}`);
    },
    /** Takes a rule of `observe` away, whole or half made; one that is not there is no error. */
    async unobserve(ruleName: string) {
      try {
        await client.send(new RemoveTargetsCommand({ EventBusName: bus, Rule: ruleName, Ids: [targetId] }));
        await client.send(new DeleteRuleCommand({ EventBusName: bus, Name: ruleName }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}

/** A topic by its ARN. */
export function createTopicLink(client: SNSClient, topicArn: string) {
  return {
    arn: topicArn,
    /**
     * Subscribes a queue of the same account, which needs no confirmation; answers the ARN of the
     * subscription.
     */
    async subscribe(queueArn: string) {
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
    async unsubscribe(subscriptionArn: string) {
      await client.send(new UnsubscribeCommand({ SubscriptionArn: subscriptionArn }));
    },
    /** Queues that are subscribed. */
    async queues() {
      const subscriptions = await listSubscriptions(client, topicArn);
      return subscriptions.flatMap(({ arn, protocol, endpoint }) =>
        arn === undefined || protocol !== 'sqs' ? [] : [{ arn, queueArn: endpoint }],
      );
    },
  };
}
