import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  paginateListSchedules,
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

/** The schedules of one group. */
export function createScheduleLink(client: SchedulerClient, group: string) {
  return {
    group,
    async makeOnce({ name, at, roleArn, targetArn, deadLetterArn, input }: OnceSchedule) {
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
    /** One that is not there is no error. */
    async remove(name: string) {
      try {
        await client.send(new DeleteScheduleCommand({ GroupName: group, Name: name }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
    async named(prefix: string) {
      const names: string[] = [];
      for await (const page of paginateListSchedules({ client }, { GroupName: group, NamePrefix: prefix }))
        names.push(...(page.Schedules ?? []).map(({ Name = '' }) => Name));
      return names;
    },
  };
}
