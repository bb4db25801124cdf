/**
 * Subscriptions of queues to topics, made by calls. A queue of the same account needs no confirmation, and gets what the topic takes if its own
 * policy lets SNS send for that topic (SNS Developer Guide, "Fanout to Amazon SQS queues").
 */
import { randomUUID } from 'node:crypto';
import type { Authority } from '../../iam/authority.ts';
import { asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import type { MadeResources } from '../storage/made-resources.ts';
import { AwsError } from '../wire/aws-error.ts';
import type { RefusedDelivery } from '../wire/refused-delivery.ts';

/** A message that a topic took. */
export interface PublishedMessage {
  readonly topicArn: string;
  readonly subject: string | undefined;
  readonly message: string;
}

/** A queue that hears a topic. */
export interface QueueSubscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly queueArn: string;
  readonly isRaw: boolean;
}

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
  of(topicArn: string): readonly QueueSubscription[];
  /** @param input - the parameters of Subscribe */
  add(topicArn: string, input: URLSearchParams): string;
  remove(arn: string): void;
  deliver(message: PublishedMessage): void;
}

/** Opens those that an earlier run kept. */
export function openSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { made } = options;
  const all = (): QueueSubscription[] => made.all('subscription').map(subscriptionOf);
  const of = (topicArn: string): QueueSubscription[] => all().filter((one) => one.topicArn === topicArn);

  return {
    of,
    add(topicArn, input) {
      const protocol = input.get('Protocol');
      const queueArn = input.get('Endpoint') ?? '';
      if (protocol !== 'sqs') {
        throw new AwsError('NotEmulated', `sns:Subscribe of ${protocol ?? 'nothing'} is not emulated: only sqs is`, {
          status: 501,
        });
      }
      if (!queueArn.startsWith('arn:aws:sqs:'))
        throw new AwsError('InvalidParameter', 'Invalid parameter: SQS endpoint ARN');
      // SNS API, Subscribe: the same endpoint again answers the subscription that it has.
      const before = of(topicArn).find((one) => one.queueArn === queueArn);
      if (before !== undefined) return before.arn;
      const arn = `${topicArn}:${randomUUID()}`;
      made.put('subscription', arn, { arn, topicArn, queueArn, isRaw: isRaw(input) });
      return arn;
    },
    remove: (arn) => made.remove('subscription', arn),
    deliver(message) {
      for (const subscription of of(message.topicArn)) deliverTo(subscription, message, options);
    },
  };
}

function deliverTo(
  { queueArn, topicArn, isRaw: raw, arn }: QueueSubscription,
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

/** SNS Developer Guide, "HTTP/HTTPS notification JSON format": a queue gets the same document. Nothing here is signed. */
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

function subscriptionOf(kept: JsonObject): QueueSubscription {
  const text = (key: string): string => asText(kept[key]) ?? '';
  return { arn: text('arn'), topicArn: text('topicArn'), queueArn: text('queueArn'), isRaw: kept['isRaw'] === true };
}

/** `Attributes.entry.N.key` and `.value`, as the Query protocol writes a map. */
function isRaw(input: URLSearchParams): boolean {
  for (let entry = 1; input.has(`Attributes.entry.${entry}.key`); entry += 1) {
    if (input.get(`Attributes.entry.${entry}.key`) !== 'RawMessageDelivery') continue;
    return input.get(`Attributes.entry.${entry}.value`) === 'true';
  }
  return false;
}
