import { SNSClient } from '@aws-sdk/client-sns';

/** SNS; the region, the credentials and a local endpoint come from the environment. */
export function createSnsClient(): SNSClient {
  return new SNSClient({});
}
