import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { ClientSettings } from './client-settings.ts';

/**
 * EventBridge; the region, the credentials and a local endpoint come from the settings, else from
 * the environment.
 */
export function createEventBridgeClient(settings: ClientSettings = {}): EventBridgeClient {
  return new EventBridgeClient(settings);
}
