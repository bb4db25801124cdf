import {
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { developerKey } from '../../../builders/developer-key.ts';
import type { InProcessStage } from './in-process-stage.ts';

/** As the page of Scheduler does it: it reads a schedule, and sends all of it back with another state. */
export async function switchSchedule(
  { stage: { assembly } }: InProcessStage,
  name: string,
  State: 'ENABLED' | 'DISABLED',
): Promise<void> {
  const { endpoint, region } = assembly;
  const scheduler = new SchedulerClient({ endpoint, region, credentials: developerKey });
  const { Schedules: [{ GroupName } = {}] = [] } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: name }));
  const found = await scheduler.send(new GetScheduleCommand({ Name: name, GroupName }));
  const { ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target } = found;
  const same = { Name: name, GroupName, ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target };
  await scheduler.send(new UpdateScheduleCommand({ ...same, State }));
  scheduler.destroy();
}
