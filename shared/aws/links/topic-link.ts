import { GetTopicAttributesCommand, type SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { listSubscriptions } from '../topic-subscriptions.ts';

/** A subscription of a queue. */
export interface QueueSubscription {
  readonly arn: string;
  readonly queueArn: string;
}

/** A topic as the links of a stage see it. */
export interface TopicLink {
  readonly arn: string;
  /** Its access policy, as JSON. */
  readonly policy: () => Promise<string | undefined>;
  /** Subscribes a queue of the same account, which needs no confirmation; answers the ARN of the subscription. */
  readonly subscribe: (queueArn: string) => Promise<string>;
  readonly unsubscribe: (subscriptionArn: string) => Promise<void>;
  readonly queues: () => Promise<readonly QueueSubscription[]>;
}

/** A topic by its ARN. */
export function createTopicLink(client: SNSClient, topicArn: string): TopicLink {
  return {
    arn: topicArn,
    async policy() {
      const { Attributes } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
      return Attributes?.['Policy'];
    },
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
