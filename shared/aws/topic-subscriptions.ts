import { paginateListSubscriptionsByTopic, type SNSClient } from '@aws-sdk/client-sns';

/** Who is told what a topic takes. */
export interface TopicSubscription {
  /** `email`, `https`, `sqs`, … */
  readonly protocol: string;
  readonly endpoint: string;
  /** Whoever has an address must say that they want its messages; until then they get none. */
  readonly isConfirmed: boolean;
}

/** Lists the subscriptions of a topic. */
export async function listSubscriptions(client: SNSClient, topicArn: string): Promise<readonly TopicSubscription[]> {
  const found: TopicSubscription[] = [];
  for await (const page of paginateListSubscriptionsByTopic({ client }, { TopicArn: topicArn })) {
    for (const { Protocol = '', Endpoint = '', SubscriptionArn = '' } of page.Subscriptions ?? []) {
      // An unconfirmed one has a word in the place of its ARN.
      found.push({ protocol: Protocol, endpoint: Endpoint, isConfirmed: SubscriptionArn.startsWith('arn:') });
    }
  }
  return found;
}
