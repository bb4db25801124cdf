import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { ClientSettings } from './client-settings.ts';

/** SQS refuses more than 12 hours counted from the receive. */
const maxVisibilitySeconds = 42_000;

/** Sends to and postpones in one queue. */
export interface Queue {
  readonly send: (body: string) => Promise<void>;
  /** Puts a received message out of sight. */
  readonly postpone: (receiptHandle: string, delayMs: number) => Promise<void>;
}

/** One queue by its URL; the client is asked for when something is sent. */
export function createQueue(client: () => SQSClient, queueUrl: string): Queue {
  return {
    async send(body) {
      await client().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
    },
    async postpone(receiptHandle, delayMs) {
      const seconds = Math.min(maxVisibilitySeconds, Math.max(0, Math.ceil(delayMs / 1000)));
      await client().send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },
  };
}

/** How many messages a queue holds; SQS counts approximately. */
export interface QueueDepth {
  readonly waiting: number;
  /** With a worker, or out of sight until they are tried again. */
  readonly inFlight: number;
  readonly delayed: number;
}

/** Counts the messages of one queue by its URL. */
export async function readQueueDepth(client: SQSClient, queueUrl: string): Promise<QueueDepth> {
  const answer = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return {
    waiting: Number(answer.Attributes?.['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(answer.Attributes?.['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    delayed: Number(answer.Attributes?.['ApproximateNumberOfMessagesDelayed'] ?? 0),
  };
}

/** A client of SQS. Queue URLs must name the host to call: the SDK prefers it. */
export function createSqsClient(settings: ClientSettings = {}): SQSClient {
  return new SQSClient(settings);
}
