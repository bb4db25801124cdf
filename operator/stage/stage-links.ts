import { type BucketLink, createBucketLink, createQueueLink, type QueueLink } from '../aws/queue-link.ts';
import { type BusLink, createBusLink, createTopicLink, type TopicLink } from '../aws/bus-link.ts';
import { createScheduleLink, type ScheduleLink } from '../aws/schedule-link.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { Clients } from './stage-clients.ts';

/** The services that the links of a stage run through, each as far as a test of the links needs it. */
export interface StageLinks {
  readonly bucket: BucketLink;
  readonly queues: QueueLink;
  readonly bus: BusLink;
  readonly topic: TopicLink;
  readonly schedules: ScheduleLink;
}

/** The links of a stage by its outputs. */
export async function openStageLinks(clients: Clients, outputs: StageOutputs): Promise<StageLinks> {
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
