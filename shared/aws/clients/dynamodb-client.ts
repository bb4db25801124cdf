import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * DynamoDB; the region, the credentials and a local endpoint come from the settings, else from the
 * environment.
 */
export function createDynamoDbClient(settings: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient(settings);
}
