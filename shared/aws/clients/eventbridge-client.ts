import { EventBridgeClient } from '@aws-sdk/client-eventbridge';

/** EventBridge; the region, the credentials and a local endpoint come from the environment. */
export function createEventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({});
}
