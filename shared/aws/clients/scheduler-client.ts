import { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { ClientSettings } from './client-settings.ts';

/**
 * EventBridge Scheduler; the region, the credentials and a local endpoint come from the settings,
 * else from the environment.
 */
export function createSchedulerClient(settings: ClientSettings = {}): SchedulerClient {
  return new SchedulerClient(settings);
}
