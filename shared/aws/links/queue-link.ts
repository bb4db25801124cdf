import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  paginateListQueues,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** A message that an observer took. */
export interface ObservedMessage {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Queues as the links of a stage see them. */
export interface QueueLink {
  /** ARN and access policy of a queue by its URL. */
  readonly describe: (url: string) => Promise<{ readonly arn: string; readonly policy?: string }>;
  /** Makes a queue with an access policy and answers its URL. */
  readonly make: (name: string, policy: object) => Promise<string>;
  /** Takes what is there, at once. */
  readonly take: (url: string) => Promise<readonly ObservedMessage[]>;
  readonly remove: (url: string) => Promise<void>;
  /** URLs of the queues whose names begin so. */
  readonly named: (prefix: string) => Promise<readonly string[]>;
}

/** What an observer hears is of use for minutes: a queue that is left behind holds nothing for long. */
const retentionSeconds = '600';

/** The queues of an account and a region. */
export function createQueueLink(client: SQSClient): QueueLink {
  return {
    async describe(url) {
      const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn', 'Policy'] });
      const { Attributes = {} } = await client.send(asked);
      return { arn: Attributes['QueueArn'] ?? '', policy: Attributes['Policy'] };
    },
    async make(name, policy) {
      const Attributes = {
        MessageRetentionPeriod: retentionSeconds,
        SqsManagedSseEnabled: 'true',
        Policy: JSON.stringify(policy),
      };
      const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
      return QueueUrl;
    },
    async take(url) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
      );
      if (Messages.length > 0) {
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
      }
      return Messages.map(observed);
    },
    async remove(url) {
      await client.send(new DeleteQueueCommand({ QueueUrl: url }));
    },
    async named(prefix) {
      const urls: string[] = [];
      for await (const page of paginateListQueues({ client }, { QueueNamePrefix: prefix }))
        urls.push(...(page.QueueUrls ?? []));
      return urls;
    },
  };
}

function observed({ Body = '', MessageAttributes = {} }: Message): ObservedMessage {
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { StringValue = '' }]) => [name, StringValue] as const,
  );
  return { body: Body, attributes: Object.fromEntries(attributes) };
}
