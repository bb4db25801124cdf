import { CloudFormationClient } from '@aws-sdk/client-cloudformation';

/** CloudFormation; the region, the credentials and a local endpoint come from the environment. */
export function createCloudFormationClient(): CloudFormationClient {
  return new CloudFormationClient({});
}
