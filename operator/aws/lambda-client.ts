import { LambdaClient } from '@aws-sdk/client-lambda';
import type { ClientSettings } from '#shared/aws/client-settings.ts';

/**
 * Lambda; the region, the credentials and a local endpoint come from the settings, else from the
 * environment.
 */
export function createLambdaClient(settings: ClientSettings = {}): LambdaClient {
  return new LambdaClient(settings);
}
