import { type ResolvedAssembly, resourcesOfType } from '../template/assembly.ts';
import { asNumber, asObject, asText } from '../template/json.ts';
import type { JsonObject } from '../template/json.ts';
import { type LocalSchedule, scheduleArn } from './local-schedule.ts';

/** The schedules of the template. */
export function schedulesOfTemplate(assembly: ResolvedAssembly): LocalSchedule[] {
  return resourcesOfType(assembly, 'AWS::Scheduler::Schedule').map(({ name, properties }) =>
    localScheduleOf({ ...properties, Name: name }, assembly),
  );
}

/**
 * A schedule as the scheduler's clock runs it, from the properties of a template or of a CreateSchedule: both name them alike.
 * @param properties - with `Name`
 */
export function localScheduleOf(
  properties: JsonObject,
  { region, accountId }: Pick<ResolvedAssembly, 'region' | 'accountId'>,
): LocalSchedule {
  const name = asText(properties['Name']) ?? '';
  const target = asObject(properties['Target']);
  const retry = asObject(target['RetryPolicy']);
  const groupName = asText(properties['GroupName']) ?? 'default';
  return {
    name,
    groupName,
    arn: scheduleArn({ region, accountId, groupName, name }),
    expression: asText(properties['ScheduleExpression']) ?? '',
    timezone: asText(properties['ScheduleExpressionTimezone']) ?? 'UTC',
    startDate: dateOf(asText(properties['StartDate'])),
    endDate: dateOf(asText(properties['EndDate'])),
    state: properties['State'] === 'DISABLED' ? 'DISABLED' : 'ENABLED',
    isDeletedAtEnd: properties['ActionAfterCompletion'] === 'DELETE',
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
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
