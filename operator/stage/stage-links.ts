import { createBucketLink, createQueueLink } from '../aws/queue-link.ts';
import { createBusLink, createTopicLink } from '../aws/bus-link.ts';
import { createScheduleLink } from '../aws/schedule-link.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { Clients } from './stage-clients.ts';

/** The services that the links of a stage run through, each as far as a test of the links needs it. */
export type StageLinks = Awaited<ReturnType<typeof openStageLinks>>;

/** The links of a stage by its outputs. */
export async function openStageLinks(clients: Clients, outputs: StageOutputs) {
  const [s3, sqs, eventBridge, sns, scheduler] = await Promise.all([
    clients.s3(),
    clients.sqs(),
    clients.eventBridge(),
    clients.sns(),
    clients.scheduler(),
  ]);
  return {
    bucket: createBucketLink(s3, outputs.BucketName),
    queues: createQueueLink(sqs),
    bus: createBusLink(eventBridge, outputs.EventBusName),
    topic: createTopicLink(sns, outputs.AlarmTopicArn),
    schedules: createScheduleLink(scheduler, outputs.ScheduleGroupName),
  };
}
