/**
 * SNS, as far as rules need it. Topics hand messages to the queues that are subscribed, and keep
 * the last ones to look at. No message leaves this machine.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { asText, resourcesOfType } from '../../template/assembly.ts';
import { type AwsStage, deliver } from '../aws-stage.ts';
import { AwsError, notEmulated } from '../wire/messages.ts';
import { operation, queryService } from '../wire/operations.ts';
import { container, element, record } from '../wire/xml.ts';

/** A message that a topic took. */
export interface PublishedMessage {
  readonly topicArn: string;
  readonly message: string;
}

const KEPT_MESSAGES = 100;

const onTopic = z.strictObject({ TopicArn: z.string() });

/** Without `RawMessageDelivery` a queue gets the message in an envelope. */
const subscribeRow = onTopic.extend({
  Protocol: z.string(),
  Endpoint: z.string(),
  ReturnSubscriptionArn: z.string().optional(),
  // The Query protocol writes a map so.
  'Attributes.entry.1.key': z.literal('RawMessageDelivery', 'Only RawMessageDelivery is emulated.'),
  'Attributes.entry.1.value': z.literal('true', 'Only RawMessageDelivery is emulated.'),
});

/** A subscription of a queue, made by a call. */
const subscription = z.object({ arn: z.string(), topicArn: z.string(), queueArn: z.string() });

/** Creates the topics of the template. */
export function createSnsService(stage: AwsStage) {
  const { assembly, made } = stage;
  const topics = new Set(resourcesOfType(assembly, 'AWS::SNS::Topic').map(({ physicalId }) => physicalId));
  const recent: PublishedMessage[] = [];
  const knownTopic = (topicArn: string): string => {
    if (!topics.has(topicArn)) throw new AwsError('NotFound', 'Topic does not exist', 404);
    return topicArn;
  };
  const queuesOf = (topicArn: string) =>
    made
      .all('subscription')
      .map((kept) => subscription.parse(kept))
      .filter((one) => one.topicArn === topicArn);
  const subscribe = (topicArn: string, queueArn: string): string => {
    // SNS API, Subscribe: the same endpoint again answers the subscription that it has.
    const before = queuesOf(topicArn).find((one) => one.queueArn === queueArn);
    const arn = before?.arn ?? `${topicArn}:${randomUUID()}`;
    made.put('subscription', arn, { arn, topicArn, queueArn });
    return arn;
  };
  /**
   * An address waits for its confirmation for ever: no message that asks for it leaves this
   * machine.
   */
  const subscribersOf = (topicArn: string) => [
    ...resourcesOfType(assembly, 'AWS::SNS::Subscription')
      .filter(({ properties }) => properties['TopicArn'] === topicArn)
      .map(({ properties: { Protocol, Endpoint } }) => ({
        Protocol: asText(Protocol),
        SubscriptionArn: 'PendingConfirmation',
        Endpoint: asText(Endpoint),
      })),
    ...queuesOf(topicArn).map(({ arn, queueArn }) => ({ Protocol: 'sqs', SubscriptionArn: arn, Endpoint: queueArn })),
  ];
  const service = queryService({
    name: 'sns',
    xmlns: 'http://sns.amazonaws.com/doc/2010-03-31/',
    operations: {
      Subscribe: operation(subscribeRow, ({ TopicArn, Protocol, Endpoint }, request) => {
        // Condition keys of Subscribe (Service Authorization Reference, Amazon SNS, "Condition keys").
        request.require('sns:Subscribe', TopicArn, { 'sns:Protocol': Protocol, 'sns:Endpoint': Endpoint });
        if (Protocol !== 'sqs') throw notEmulated('sns', `Subscribe of ${Protocol}`);
        return [element('SubscriptionArn', subscribe(knownTopic(TopicArn), Endpoint))];
      }),
      ListSubscriptionsByTopic: operation(onTopic, ({ TopicArn }, request) => {
        request.require('sns:ListSubscriptionsByTopic', TopicArn);
        const members = subscribersOf(knownTopic(TopicArn)).map((one) =>
          record('member', { TopicArn, Owner: assembly.accountId, ...one }),
        );
        return [container('Subscriptions', members)];
      }),
      Unsubscribe: operation(z.strictObject({ SubscriptionArn: z.string() }), ({ SubscriptionArn: arn }, request) => {
        // The right is asked for on the topic (Service Authorization Reference, Amazon SNS).
        request.require('sns:Unsubscribe', arn.split(':').slice(0, 6).join(':'));
        made.remove('subscription', arn);
        return [];
      }),
    },
  });
  return {
    service,
    /**
     * A queue of the same account needs no confirmation. It gets the topic's messages if its own
     * policy lets SNS send for that topic (SNS Developer Guide, "Fanout to Amazon SQS queues").
     */
    publish(topicArn: string, message: string): void {
      recent.unshift({ topicArn: knownTopic(topicArn), message });
      recent.splice(KEPT_MESSAGES);
      const context = { 'aws:SourceArn': topicArn };
      for (const { queueArn: target } of queuesOf(topicArn))
        deliver(stage, { from: 'sns.amazonaws.com', source: topicArn, target, context }, () =>
          stage.sendToQueue(target, message),
        );
    },
    recentMessages: (): readonly PublishedMessage[] => recent,
  };
}
