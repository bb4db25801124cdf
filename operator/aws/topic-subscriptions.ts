import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import type { ClientSettings } from '#shared/aws/client-settings.ts';

/** SNS; what the settings leave out comes from the environment. */
export function createSnsClient(settings: ClientSettings = {}): SNSClient {
  return new SNSClient(settings);
}

/** A subscriber of a topic. */
export interface TopicSubscription {
  /** Absent until it is confirmed. */
  readonly arn?: string;
  /** `email`, `https`, `sqs`, … */
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
