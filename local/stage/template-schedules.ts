import { type LocalSchedule, scheduleArn } from '../schedules/local-schedule.ts';
import { type ResolvedAssembly, resourcesOfType } from '../template/assembly.ts';
import { asNumber, asObject, asText } from '../template/json.ts';

/** The schedules of the template, as the scheduler's clock runs them. */
export function schedulesOfTemplate(assembly: ResolvedAssembly): LocalSchedule[] {
  return resourcesOfType(assembly, 'AWS::Scheduler::Schedule').map(({ name, properties }) => {
    const target = asObject(properties['Target']);
    const retry = asObject(target['RetryPolicy']);
    const groupName = asText(properties['GroupName']) ?? 'default';
    return {
      name,
      groupName,
      arn: scheduleArn({ region: assembly.region, accountId: assembly.accountId, groupName, name }),
      expression: asText(properties['ScheduleExpression']) ?? '',
      timezone: asText(properties['ScheduleExpressionTimezone']) ?? 'UTC',
      startDate: dateOf(asText(properties['StartDate'])),
      endDate: dateOf(asText(properties['EndDate'])),
      state: properties['State'] === 'DISABLED' ? 'DISABLED' : 'ENABLED',
      flexibleWindowMinutes: asNumber(asObject(properties['FlexibleTimeWindow'])['MaximumWindowInMinutes']),
      target: {
        arn: asText(target['Arn']) ?? '',
        roleArn: asText(target['RoleArn']) ?? '',
        input: asText(target['Input']),
        retryPolicy: {
          maximumRetryAttempts: asNumber(retry['MaximumRetryAttempts']),
          maximumEventAgeSeconds: asNumber(retry['MaximumEventAgeInSeconds']),
        },
        deadLetterArn: asText(asObject(target['DeadLetterConfig'])['Arn']),
      },
    };
  });
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
