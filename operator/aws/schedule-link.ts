import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';

/** A schedule that fires once and goes. */
interface OnceSchedule {
  readonly name: string;
  /** Rounded down to whole seconds; Scheduler fires within the minute after it. */
  readonly at: Date;
  /** The execution role. */
  readonly roleArn: string;
  /** The queue that it sends to. */
  readonly targetArn: string;
  /** Takes what the role or the target refuse, at once and with the error. */
  readonly deadLetterArn?: string;
  readonly input: string;
}

/** The schedule group of a stage as its links see it. */
export interface ScheduleLink {
  readonly group: string;
  readonly makeOnce: (schedule: OnceSchedule) => Promise<void>;
  /** One that is not there is no error. */
  readonly remove: (name: string) => Promise<void>;
  readonly named: (prefix: string) => Promise<readonly string[]>;
}

/** The schedules of one group. */
export function createScheduleLink(client: SchedulerClient, group: string): ScheduleLink {
  return {
    group,
    async makeOnce({ name, at, roleArn, targetArn, deadLetterArn, input }) {
      await client.send(
        new CreateScheduleCommand({
          Name: name,
          GroupName: group,
          ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
          ScheduleExpressionTimezone: 'UTC',
          FlexibleTimeWindow: { Mode: 'OFF' },
          ActionAfterCompletion: 'DELETE',
          Target: {
            Arn: targetArn,
            RoleArn: roleArn,
            Input: input,
            // Without a retry the dead letter comes at once, and it has the error.
            RetryPolicy: { MaximumRetryAttempts: 0 },
            DeadLetterConfig: deadLetterArn === undefined ? undefined : { Arn: deadLetterArn },
          },
        }),
      );
    },
    async remove(name) {
      try {
        await client.send(new DeleteScheduleCommand({ GroupName: group, Name: name }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
    async named(prefix) {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const asked = { GroupName: group, NamePrefix: prefix, NextToken: cursor };
        const page = await client.send(new ListSchedulesCommand(asked));
        names.push(...(page.Schedules ?? []).map(({ Name = '' }) => Name));
        cursor = page.NextToken;
      } while (cursor !== undefined);
      return names;
    },
  };
}
