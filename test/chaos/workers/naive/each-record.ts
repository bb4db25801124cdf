import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

/**
 * One record after the other; a record that fails goes back to the queue, its neighbours do not.
 */
export async function eachRecord(
  { Records }: SQSEvent,
  work: (body: string) => Promise<unknown>,
): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { body, messageId } of Records) {
    try {
      await work(body);
    } catch (error) {
      process.stderr.write(`${messageId}: ${String(error)}\n`);
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}
