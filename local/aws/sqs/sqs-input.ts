/** Reading SQS requests, and the answers to those that can't be read. */
import { asList, asNumber, asObject, asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { AwsError } from '../wire/aws-error.ts';
import { toAwsError } from '../wire/write-error.ts';

/** SQS's word for a wrong value. */
export function invalidParameter(message: string): AwsError {
  return new AwsError('InvalidParameterValue', message, { queryCode: 'InvalidParameterValue' });
}

/** SQS's word for a queue it does not know. */
export function queueDoesNotExist(): AwsError {
  return new AwsError('com.amazonaws.sqs#QueueDoesNotExist', 'The specified queue does not exist.', {
    queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
  });
}

/** A whole number within its bounds; `fallback` where the request has none, required where that is undefined. */
export function bounded(
  input: JsonObject,
  key: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback?: number | undefined },
): number {
  const value = input[key] === undefined ? fallback : asNumber(input[key]);
  if (value === undefined || !Number.isInteger(value) || value < min || value > max)
    throw invalidParameter(
      `Value ${String(asText(input[key]))} for parameter ${key} is invalid. Reason: Must be between ${min} and ${max}.`,
    );
  return value;
}

/** The entries of a batch: one to ten, each with an id of its own. */
export function batchEntries(input: JsonObject): JsonObject[] {
  const entries = asList(input['Entries']).map(asObject);
  if (entries.length === 0)
    throw new AwsError('com.amazonaws.sqs#EmptyBatchRequest', 'There should be at least one entry in the request.', {
      queryCode: 'AWS.SimpleQueueService.EmptyBatchRequest',
    });
  if (entries.length > 10)
    throw new AwsError(
      'com.amazonaws.sqs#TooManyEntriesInBatchRequest',
      'Maximum number of entries per request are 10.',
      {
        queryCode: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
      },
    );
  if (new Set(entries.map((entry) => asText(entry['Id']))).size < entries.length)
    throw new AwsError('com.amazonaws.sqs#BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.', {
      queryCode: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
    });
  return entries;
}

/** A failed entry of a batch. */
export function failedEntry(id: string, thrown: unknown): JsonObject {
  const { code, message, status } = toAwsError(thrown);
  return { Id: id, Code: code.split('#').at(-1) ?? code, Message: message, SenderFault: status < 500 };
}
