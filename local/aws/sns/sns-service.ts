/** SNS, as far as alarms and rules need it: topics that take messages, and who is subscribed to them. */
import { randomUUID } from 'node:crypto';
import { resourcesOfType } from '../../template/assembly.ts';
import { asText } from '../../template/json.ts';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { AwsError, notEmulated } from '../wire/aws-error.ts';
import type { AwsService } from '../wire/messages.ts';
import { queryInput, queryResponse } from '../wire/query.ts';
import { container, element } from '../wire/xml.ts';

/** A message that a topic took; it goes to nobody: no message leaves this machine. */
export interface PublishedMessage {
  readonly topicArn: string;
  readonly subject: string | undefined;
  readonly message: string;
}

/** SNS: topics take messages and keep the last ones to look at. */
export interface SnsService extends AwsService {
  publish(message: PublishedMessage): void;
  recentMessages(): readonly PublishedMessage[];
}

const KEPT_MESSAGES = 100;

/** Creates the topics of the template. */
export function createSnsService(assembly: ResolvedAssembly): SnsService {
  const topics = new Set(resourcesOfType(assembly, 'AWS::SNS::Topic').map(({ physicalId }) => physicalId));
  const recent: PublishedMessage[] = [];
  const publish = (message: PublishedMessage): void => {
    if (!topics.has(message.topicArn)) throw new AwsError('NotFound', 'Topic does not exist', { status: 404 });
    recent.unshift(message);
    recent.splice(KEPT_MESSAGES);
  };
  return {
    name: 'sns',
    protocol: 'query',
    publish,
    recentMessages: () => recent,
    handle(request) {
      const input = queryInput(request);
      const topicArn = input.get('TopicArn') ?? '';
      switch (request.operation) {
        case 'Publish':
          request.require('sns:Publish', topicArn);
          publish({ topicArn, subject: input.get('Subject') ?? undefined, message: input.get('Message') ?? '' });
          return queryResponse('Publish', element('MessageId', randomUUID()), xmlns);
        case 'ListSubscriptionsByTopic': {
          request.require('sns:ListSubscriptionsByTopic', topicArn);
          if (!topics.has(topicArn)) throw new AwsError('NotFound', 'Topic does not exist', { status: 404 });
          const listed = subscriptionsOf(assembly, topicArn);
          return queryResponse('ListSubscriptionsByTopic', container('Subscriptions', listed), xmlns);
        }
        default:
          throw notEmulated('sns', request.operation);
      }
    },
  };
}

const xmlns = 'http://sns.amazonaws.com/doc/2010-03-31/';

/** Each waits for its confirmation for ever: nobody here is sent the message that asks for it. */
function subscriptionsOf(assembly: ResolvedAssembly, topicArn: string): string[] {
  return resourcesOfType(assembly, 'AWS::SNS::Subscription')
    .filter(({ properties }) => properties['TopicArn'] === topicArn)
    .map(({ properties }) =>
      container('member', [
        element('TopicArn', topicArn),
        element('Protocol', asText(properties['Protocol'])),
        element('SubscriptionArn', 'PendingConfirmation'),
        element('Owner', assembly.accountId),
        element('Endpoint', asText(properties['Endpoint'])),
      ]),
    );
}
