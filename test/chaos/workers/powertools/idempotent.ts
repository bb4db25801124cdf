import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';

/**
 * As long as a message can live in its queue: the default of one hour would forget sooner than SQS
 * does.
 */
const expiresAfterSeconds = 14 * 86_400;

/** Where the records of finished and running work are kept. */
export const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env['IDEMPOTENCY_TABLE'] ?? '' });

/** The settings of a key; one that is missing is an error, and not an unprotected call. */
export function keyedBy(eventKeyJmesPath: string): IdempotencyConfig {
  return new IdempotencyConfig({ eventKeyJmesPath, throwOnNoIdempotencyKey: true, expiresAfterSeconds });
}
