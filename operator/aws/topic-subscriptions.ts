import { paginateListSubscriptionsByTopic, type SNSClient } from '@aws-sdk/client-sns';

/** The subscribers of a topic. */
export interface TopicSubscription {
  /** `email`, `https`, `sqs`, … */
  /** Absent until it is confirmed. */
  readonly arn?: string;
  readonly protocol: string;
  readonly endpoint: string;
  /** The owner of an address must confirm it; until then it gets no messages. */
  readonly isConfirmed: boolean;
}

/** Lists the subscriptions of a topic. */
export async function listSubscriptions(client: SNSClient, topicArn: string): Promise<readonly TopicSubscription[]> {
  const found: TopicSubscription[] = [];
  for await (const page of paginateListSubscriptionsByTopic({ client }, { TopicArn: topicArn })) {
    for (const { Protocol = '', Endpoint = '', SubscriptionArn = '' } of page.Subscriptions ?? []) {
      // An unconfirmed one has a word in the place of its ARN.
      const arn = SubscriptionArn.startsWith('arn:') ? SubscriptionArn : undefined;
      found.push({ arn, protocol: Protocol, endpoint: Endpoint, isConfirmed: arn !== undefined });
    }
  }
  return found;
}
