import { SQSClient } from '@aws-sdk/client-sqs';
import type { ClientSettings } from './client-settings.ts';

/**
 * SQS; the region, the credentials and a local endpoint come from the settings, else from the
 * environment. Queue URLs must name the host to call: the SDK prefers it.
 */
export function createSqsClient(settings: ClientSettings = {}): SQSClient {
  return new SQSClient(settings);
}
