import {
  GetScheduleCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { linkTestName } from '../messages/link-test.ts';
import type { ClientSettings } from './client-settings.ts';

/** A deployed schedule, as Scheduler answers it. */
export interface DeployedSchedule {
  readonly name: string;
  /** `cron(…)`, `rate(…)` or `at(…)`. */
  readonly expression: string;
  readonly timezone: string;
  readonly isEnabled: boolean;
  readonly startDate?: Date;
  readonly endDate?: Date;
  readonly createdAt?: Date;
  readonly targetArn: string;
  /** What it sends, with Scheduler's placeholders still in it. */
  readonly input: string;
}

/** Reads the schedules of one group. */
export interface Schedules {
  readonly names: () => Promise<readonly string[]>;
  readonly find: (name: string) => Promise<DeployedSchedule | undefined>;
}

/** Every schedule of a group; one that is deleted meanwhile is left out. */
export async function findAll(group: Schedules): Promise<readonly DeployedSchedule[]> {
  const found = await Promise.all((await group.names()).map((name) => group.find(name)));
  return found.filter((schedule) => schedule !== undefined);
}

/** A test of the links is in the group for a minute: it starts and stops nothing. */
function isOfStage(name: string): boolean {
  return !name.startsWith(linkTestName);
}

/** The schedules of a stage by the name of their group. */
export function createSchedules(client: SchedulerClient, groupName: string): Schedules {
  return {
    async names() {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.send(new ListSchedulesCommand({ GroupName: groupName, NextToken: cursor }));
        names.push(...(page.Schedules ?? []).map((schedule) => schedule.Name ?? '').filter(isOfStage));
        cursor = page.NextToken;
      } while (cursor !== undefined);
      return names;
    },

    async find(name) {
      try {
        const answer = await client.send(new GetScheduleCommand({ GroupName: groupName, Name: name }));
        return {
          name,
          expression: answer.ScheduleExpression ?? '',
          timezone: answer.ScheduleExpressionTimezone ?? 'UTC',
          isEnabled: answer.State !== 'DISABLED',
          startDate: answer.StartDate,
          endDate: answer.EndDate,
          createdAt: answer.CreationDate,
          targetArn: answer.Target?.Arn ?? '',
          input: answer.Target?.Input ?? '{}',
        };
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },
  };
}

/** A client of EventBridge Scheduler. */
export function createSchedulerClient(settings: ClientSettings = {}): SchedulerClient {
  return new SchedulerClient(settings);
}
