import { SchedulerClient } from '@aws-sdk/client-scheduler';

/** EventBridge Scheduler; the region, the credentials and a local endpoint come from the environment. */
export function createSchedulerClient(): SchedulerClient {
  return new SchedulerClient({});
}
