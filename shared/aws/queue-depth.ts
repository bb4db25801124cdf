import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

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
