import { LambdaClient } from '@aws-sdk/client-lambda';

/** Lambda; the region, the credentials and a local endpoint come from the environment. */
export function createLambdaClient(): LambdaClient {
  return new LambdaClient({});
}
