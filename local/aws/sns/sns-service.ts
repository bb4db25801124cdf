/** SNS, as far as alarms and rules need it: topics that take messages, and who is subscribed to them. */
import { randomUUID } from 'node:crypto';
import { resourcesOfType } from '../../template/assembly.ts';
import { asText, textsOf } from '../../template/json.ts';
import type { RequestContext } from '../../iam/conditions.ts';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { AwsError, notEmulated } from '../wire/aws-error.ts';
import type { AwsRequest, AwsResponse, AwsService } from '../wire/messages.ts';
import { queryInput, queryResponse } from '../wire/query.ts';
import { container, element } from '../wire/xml.ts';
import type { PublishedMessage, Subscriptions } from './subscriptions.ts';

/** SNS: topics hand messages to the queues that are subscribed, and keep the last ones to look at. No message leaves this machine. */
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
    GetTopicAttributes: (_input, topicArn) => attributesOf(assembly, knownTopic(topicArn)),
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

/** Of the attributes, those that say where the topic is and who may publish. */
function attributesOf(assembly: ResolvedAssembly, topicArn: string): string {
  const policy = resourcesOfType(assembly, 'AWS::SNS::TopicPolicy').findLast(({ properties }) =>
    textsOf(properties['Topics']).includes(topicArn),
  )?.properties['PolicyDocument'];
  const attributes = {
    TopicArn: topicArn,
    Owner: assembly.accountId,
    ...(policy === undefined ? {} : { Policy: JSON.stringify(policy) }),
  };
  return container(
    'Attributes',
    Object.entries(attributes).map(([key, value]) =>
      container('entry', [element('key', key), element('value', value)]),
    ),
  );
}

/** An address waits for its confirmation for ever: no message that asks for it leaves this machine. */
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
