/** SNS, as far as rules need it. Topics keep the last messages to look at. No message leaves this machine. */
import * as z from 'zod';
import { type ResolvedAssembly, resourcesOfType } from '../../template/cloud-assembly.ts';
import { asText } from '../../template/json.ts';
import { AwsError } from '../aws-error.ts';
import { operation, queryService } from '../wire/operations.ts';
import { container, record } from '../wire/xml.ts';

/** A message that a topic took. */
export interface PublishedMessage {
  readonly topicArn: string;
  readonly message: string;
}

const KEPT_MESSAGES = 100;

const onTopic = z.strictObject({ TopicArn: z.string() });

/** Creates the topics of the template. */
export function createSnsService(assembly: ResolvedAssembly) {
  const topics = new Set(resourcesOfType(assembly, 'AWS::SNS::Topic').map(({ physicalId }) => physicalId));
  const recent: PublishedMessage[] = [];
  const knownTopic = (topicArn: string): string => {
    if (!topics.has(topicArn)) throw new AwsError('NotFound', 'Topic does not exist', 404);
    return topicArn;
  };
  /**
   * An address waits for its confirmation for ever: no message that asks for it leaves this
   * machine.
   */
  const subscribersOf = (topicArn: string) =>
    resourcesOfType(assembly, 'AWS::SNS::Subscription')
      .filter(({ properties }) => properties['TopicArn'] === topicArn)
      .map(({ properties: { Protocol, Endpoint } }) => ({
        Protocol: asText(Protocol),
        SubscriptionArn: 'PendingConfirmation',
        Endpoint: asText(Endpoint),
      }));
  const service = queryService({
    name: 'sns',
    xmlns: 'http://sns.amazonaws.com/doc/2010-03-31/',
    operations: {
      ListSubscriptionsByTopic: operation(onTopic, ({ TopicArn }, request) => {
        request.require('sns:ListSubscriptionsByTopic', TopicArn);
        const members = subscribersOf(knownTopic(TopicArn)).map((one) =>
          record('member', { TopicArn, Owner: assembly.accountId, ...one }),
        );
        return [container('Subscriptions', members)];
      }),
    },
  });
  return {
    service,
    publish(topicArn: string, message: string): void {
      recent.unshift({ topicArn: knownTopic(topicArn), message });
      recent.splice(KEPT_MESSAGES);
    },
    recentMessages: (): readonly PublishedMessage[] => recent,
  };
}
