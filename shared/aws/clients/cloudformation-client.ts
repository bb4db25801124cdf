import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { ClientSettings } from './client-settings.ts';

/** CloudFormation; the region, the credentials and a local endpoint come from the settings, else from the environment. */
export function createCloudFormationClient(settings: ClientSettings = {}): CloudFormationClient {
  return new CloudFormationClient(settings);
}

/**
 * Returns true if a profile of the AWS configuration asks for an MFA code, itself or through its `source_profile`. The SDK reads the files and
 * refuses such a profile before it calls AWS, since no one here can enter a code.
 */
export async function asksForMfa(profile: string): Promise<boolean> {
  try {
    await createCloudFormationClient({ profile, region: 'us-east-1' }).config.credentials();
    return false;
  } catch (error) {
    return error instanceof Error && error.message.includes('requires multi-factor authentication');
  }
}
