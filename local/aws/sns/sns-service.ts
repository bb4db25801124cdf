/** SNS, as far as alarms and rules need it: topics that take messages. */
import { randomUUID } from 'node:crypto';
import { resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { AwsError, notEmulated } from '../wire/aws-error.ts';
import type { AwsService } from '../wire/messages.ts';
import { queryInput, queryResponse } from '../wire/query.ts';
import { element } from '../wire/xml.ts';

/** A message that a topic took; nobody is subscribed on one machine. */
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
      if (request.operation !== 'Publish') throw notEmulated('sns', request.operation);
      const input = queryInput(request);
      const topicArn = input.get('TopicArn') ?? '';
      request.require('sns:Publish', topicArn);
      publish({ topicArn, subject: input.get('Subject') ?? undefined, message: input.get('Message') ?? '' });
      return queryResponse('Publish', element('MessageId', randomUUID()), 'http://sns.amazonaws.com/doc/2010-03-31/');
    },
  };
}
