/**
 * SNS, as far as alarms and rules need it: topics that take messages, and who is subscribed to
 * them.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Authority } from '../iam/authority.ts';
import { asText, type ResolvedAssembly, resourcesOfType } from '../../template/assembly.ts';
import type { MadeResources } from '../storage/open-database.ts';
import { type AwsService, notEmulated, type RefusedDelivery } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { operation, queryService } from '../wire/operations.ts';
import { container, element } from '../wire/xml.ts';

/**
 * SNS: topics hand messages to the queues that are subscribed, and keep the last ones to look at.
 * No message leaves this machine.
 */
export interface SnsService extends AwsService {
  publish(message: PublishedMessage): void;
  recentMessages(): readonly PublishedMessage[];
}

const KEPT_MESSAGES = 100;

const onTopic = z.strictObject({ TopicArn: z.string() });

const subscribeRow = onTopic.extend({
  Protocol: z.string(),
  Endpoint: z.string(),
  // `Attributes.entry.N.key` and `.value`: the Query protocol writes a map so.
  'Attributes.entry.1.key': z.literal('RawMessageDelivery').optional(),
  'Attributes.entry.1.value': z.string().optional(),
});

/** Creates the topics of the template. */
export function createSnsService(assembly: ResolvedAssembly, subscriptions: Subscriptions): SnsService {
  const topics = new Set(resourcesOfType(assembly, 'AWS::SNS::Topic').map(({ physicalId }) => physicalId));
  const recent: PublishedMessage[] = [];
  const knownTopic = (topicArn: string): string => {
    if (!topics.has(topicArn)) throw new AwsError('NotFound', 'Topic does not exist', { status: 404 });
    return topicArn;
  };
  const publish = (message: PublishedMessage): void => {
    knownTopic(message.topicArn);
    recent.unshift(message);
    recent.splice(KEPT_MESSAGES);
    subscriptions.deliver(message);
  };
  const service = queryService({
    name: 'sns',
    xmlns: 'http://sns.amazonaws.com/doc/2010-03-31/',
    operations: {
      Publish: operation(
        onTopic.extend({ Message: z.string(), Subject: z.string().optional() }),
        ({ TopicArn: topicArn, Subject: subject, Message: message }, request) => {
          request.require('sns:Publish', topicArn);
          publish({ topicArn, subject, message });
          return [element('MessageId', randomUUID())];
        },
      ),
      Subscribe: operation(subscribeRow, ({ TopicArn, Protocol, Endpoint, ...attributes }, request) => {
        // Condition keys of Subscribe (Service Authorization Reference, Amazon SNS, "Condition keys").
        request.require('sns:Subscribe', TopicArn, { 'sns:Protocol': Protocol, 'sns:Endpoint': Endpoint });
        if (Protocol !== 'sqs') throw notEmulated('sns', `Subscribe of ${Protocol}`);
        const isRaw = attributes['Attributes.entry.1.value'] === 'true';
        return [element('SubscriptionArn', subscriptions.add(knownTopic(TopicArn), Endpoint, isRaw))];
      }),
      ListSubscriptionsByTopic: operation(onTopic, ({ TopicArn }, request) => {
        request.require('sns:ListSubscriptionsByTopic', TopicArn);
        return [container('Subscriptions', subscriptionsOf(assembly, subscriptions, knownTopic(TopicArn)))];
      }),
      Unsubscribe: operation(z.strictObject({ SubscriptionArn: z.string() }), ({ SubscriptionArn: arn }, request) => {
        // The right is asked for on the topic (Service Authorization Reference, Amazon SNS).
        request.require('sns:Unsubscribe', arn.split(':').slice(0, 6).join(':'));
        subscriptions.remove(arn);
        return [];
      }),
    },
  });
  return { ...service, publish, recentMessages: () => recent };
}

/**
 * An address waits for its confirmation for ever: no message that asks for it leaves this machine.
 */
function subscriptionsOf(assembly: ResolvedAssembly, subscriptions: Subscriptions, topicArn: string): string[] {
  const declared = resourcesOfType(assembly, 'AWS::SNS::Subscription')
    .filter(({ properties }) => properties['TopicArn'] === topicArn)
    .map(({ properties }) => ({
      protocol: asText(properties['Protocol']),
      arn: 'PendingConfirmation',
      endpoint: asText(properties['Endpoint']),
    }));
  const made = subscriptions.of(topicArn).map(({ arn, queueArn }) => ({ protocol: 'sqs', arn, endpoint: queueArn }));
  return [...declared, ...made].map(({ protocol, arn, endpoint }) =>
    container('member', [
      element('TopicArn', topicArn),
      element('Protocol', protocol),
      element('SubscriptionArn', arn),
      element('Owner', assembly.accountId),
      element('Endpoint', endpoint),
    ]),
  );
}

// Subscriptions of queues to topics, made by calls. A queue of the same account needs no
// confirmation. It gets the topic's messages if its own policy lets SNS send for that topic (SNS
// Developer Guide, "Fanout to Amazon SQS queues").

/** A message that a topic took. */
export interface PublishedMessage {
  readonly topicArn: string;
  readonly subject: string | undefined;
  readonly message: string;
}

const keptSubscription = z.object({
  arn: z.string(),
  topicArn: z.string(),
  queueArn: z.string(),
  isRaw: z.boolean(),
});

/** A queue that hears a topic. */
type LocalSubscription = Readonly<z.output<typeof keptSubscription>>;

/** What delivering to queues touches. */
export interface SubscriptionsOptions {
  readonly made: MadeResources;
  readonly authority: Pick<Authority, 'authorize'>;
  readonly now: () => number;
  /** Throws if there is no such queue. */
  readonly sendToQueue: (queueArn: string, body: string) => void;
  readonly onDeliveryRefused: (refused: RefusedDelivery) => void;
}

/** The subscriptions of queues. */
export interface Subscriptions {
  of(topicArn: string): readonly LocalSubscription[];
  /** Answers its ARN. */
  add(topicArn: string, queueArn: string, isRaw: boolean): string;
  remove(arn: string): void;
  deliver(message: PublishedMessage): void;
}

/** Opens those that an earlier run kept. */
export function openSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { made } = options;
  const all = (): LocalSubscription[] => made.all('subscription').map((kept) => keptSubscription.parse(kept));
  const of = (topicArn: string): LocalSubscription[] => all().filter((one) => one.topicArn === topicArn);

  return {
    of,
    add(topicArn, queueArn, isRaw) {
      // SNS API, Subscribe: the same endpoint again answers the subscription that it has.
      const before = of(topicArn).find((one) => one.queueArn === queueArn);
      if (before !== undefined) return before.arn;
      const arn = `${topicArn}:${randomUUID()}`;
      made.put('subscription', arn, { arn, topicArn, queueArn, isRaw });
      return arn;
    },
    remove: (arn) => made.remove('subscription', arn),
    deliver(message) {
      for (const subscription of of(message.topicArn)) deliverTo(subscription, message, options);
    },
  };
}

function deliverTo(
  { queueArn, topicArn, isRaw: raw, arn }: LocalSubscription,
  message: PublishedMessage,
  options: SubscriptionsOptions,
): void {
  const { authority, sendToQueue, onDeliveryRefused, now } = options;
  const decision = authority.authorize({
    caller: { kind: 'service', service: 'sns.amazonaws.com' },
    action: 'sqs:SendMessage',
    resource: queueArn,
    context: { 'aws:SourceArn': topicArn },
  });
  const refused = { from: 'sns.amazonaws.com', source: topicArn, target: queueArn };
  if (!decision.allowed) return onDeliveryRefused({ ...refused, message: decision.message });
  try {
    return sendToQueue(queueArn, raw ? message.message : envelope(message, arn, now()));
  } catch (error) {
    return onDeliveryRefused({ ...refused, message: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * SNS Developer Guide, "HTTP/HTTPS notification JSON format": a queue gets the same document.
 * Nothing here is signed.
 */
function envelope({ topicArn, subject, message }: PublishedMessage, subscriptionArn: string, nowMs: number): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Subject: subject,
    Message: message,
    Timestamp: new Date(nowMs).toISOString(),
    SignatureVersion: '1',
    Signature: '',
    SigningCertURL: '',
    UnsubscribeURL: subscriptionArn,
  });
}
