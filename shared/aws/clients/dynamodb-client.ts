import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * DynamoDB; the region, the credentials and a local endpoint come from the environment.
 * @param settings - in their place, for a process that is no stage's own
 */
export function createDynamoDbClient(settings: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient(settings);
}
