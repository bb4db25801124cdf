import { SQSClient } from '@aws-sdk/client-sqs';

/** SQS; the region, the credentials and a local endpoint come from the environment. Queue URLs must name the host to call: the SDK prefers it. */
export function createSqsClient(): SQSClient {
  return new SQSClient({});
}
