import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { ClientSettings } from './client-settings.ts';

/** CloudFormation; the region, the credentials and a local endpoint come from the settings, else from the environment. */
export function createCloudFormationClient(settings: ClientSettings = {}): CloudFormationClient {
  return new CloudFormationClient(settings);
}
