/**
 * SNS, as far as alarms and rules need it: topics that take messages, and who is subscribed to
 * them.
 */
import { randomUUID } from 'node:crypto';
import type { Authority } from '../iam/authority.ts';
import type { RequestContext } from '../iam/conditions.ts';
import { asText, type JsonObject, type ResolvedAssembly, resourcesOfType } from '../../template/assembly.ts';
import type { MadeResources } from '../storage/open-database.ts';
import {
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  notEmulated,
  type RefusedDelivery,
} from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { queryInput, queryResponse } from '../wire/read-request.ts';
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
  const operations: Readonly<Record<string, (input: URLSearchParams, topicArn: string) => string | string[]>> = {
    Publish(input, topicArn) {
      publish({ topicArn, subject: input.get('Subject') ?? undefined, message: input.get('Message') ?? '' });
      return element('MessageId', randomUUID());
    },
    Subscribe: (input, topicArn) => element('SubscriptionArn', subscriptions.add(knownTopic(topicArn), input)),
    ListSubscriptionsByTopic: (_input, topicArn) =>
      container('Subscriptions', subscriptionsOf(assembly, subscriptions, knownTopic(topicArn))),
  };
  return {
    name: 'sns',
    protocol: 'query',
    publish,
    recentMessages: () => recent,
    handle(request) {
      const { operation } = request;
      const input = queryInput(request);
      if (operation === 'Unsubscribe') return unsubscribe(input, request, subscriptions);
      const work = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
      if (work === undefined) throw notEmulated('sns', operation);
      const topicArn = input.get('TopicArn') ?? '';
      request.require(`sns:${operation}`, topicArn, contextOf(operation, input));
      return queryResponse(operation, [work(input, topicArn)].flat().join(''), xmlns);
    },
  };
}

const xmlns = 'http://sns.amazonaws.com/doc/2010-03-31/';

/** Condition keys of Subscribe (Service Authorization Reference, Amazon SNS, "Condition keys"). */
function contextOf(operation: string, input: URLSearchParams): RequestContext {
  if (operation !== 'Subscribe') return {};
  return { 'sns:Protocol': input.get('Protocol') ?? '', 'sns:Endpoint': input.get('Endpoint') ?? '' };
}

/** The right is asked for on the topic (Service Authorization Reference, Amazon SNS). */
function unsubscribe(input: URLSearchParams, request: AwsRequest, subscriptions: Subscriptions): AwsResponse {
  const arn = input.get('SubscriptionArn') ?? '';
  request.require('sns:Unsubscribe', arn.split(':').slice(0, 6).join(':'));
  subscriptions.remove(arn);
  return queryResponse('Unsubscribe', '', xmlns);
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

/** A queue that hears a topic. */
interface LocalSubscription {
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
  of(topicArn: string): readonly LocalSubscription[];
  /** @param input - the parameters of Subscribe */
  add(topicArn: string, input: URLSearchParams): string;
  remove(arn: string): void;
  deliver(message: PublishedMessage): void;
}

/** Opens those that an earlier run kept. */
export function openSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { made } = options;
  const all = (): LocalSubscription[] => made.all('subscription').map(subscriptionOf);
  const of = (topicArn: string): LocalSubscription[] => all().filter((one) => one.topicArn === topicArn);

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

function subscriptionOf(kept: JsonObject): LocalSubscription {
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
