import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** DynamoDB; the region, the credentials and a local endpoint come from the environment. */
export function createDynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient({});
}
