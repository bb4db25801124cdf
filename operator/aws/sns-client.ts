import { SNSClient } from '@aws-sdk/client-sns';
import type { ClientSettings } from '#shared/aws/client-settings.ts';

/**
 * SNS; the region, the credentials and a local endpoint come from the settings, else from the
 * environment.
 */
export function createSnsClient(settings: ClientSettings = {}): SNSClient {
  return new SNSClient(settings);
}
