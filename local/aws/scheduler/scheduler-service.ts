/** EventBridge Scheduler, read only: the schedules of the template as GetSchedule and ListSchedules show them. */
import { arnOf, resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../../template/assembly.ts';
import { asObject, asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { AwsError, notEmulated } from '../wire/aws-error.ts';
import { jsonResponse } from '../wire/messages.ts';
import type { AwsService } from '../wire/messages.ts';

const SCHEDULE_PATH = /^\/schedules\/([^/]+)$/;

/** When a schedule of the template was created, as the runner's own scheduler counts it; unknown until that one runs. */
export type SchedulesCreatedAt = (name: string) => Date | undefined;

/** Creates the service. */
export function createSchedulerService(assembly: ResolvedAssembly, createdAt: SchedulesCreatedAt): AwsService {
  const { region, accountId } = assembly;
  const schedules = resourcesOfType(assembly, 'AWS::Scheduler::Schedule');
  return {
    name: 'scheduler',
    protocol: 'rest-json',
    handle(request) {
      const { method, path, query } = request;
      if (method === 'GET' && path === '/schedules') {
        // Whatever group is asked for (https://github.com/aws/aws-cdk/issues/38201).
        request.require('scheduler:ListSchedules', `arn:aws:scheduler:${region}:${accountId}:schedule/*/*`);
        const group = query.get('ScheduleGroup');
        const prefix = query.get('NamePrefix') ?? '';
        const listed = schedules
          .filter((schedule) => schedule.name.startsWith(prefix) && (group === null || groupOf(schedule) === group))
          .map(summary);
        return jsonResponse({ Schedules: listed });
      }
      const encoded = SCHEDULE_PATH.exec(path)?.[1];
      if (method !== 'GET' || encoded === undefined) throw notEmulated('scheduler', `${method} ${path}`);
      const name = decodeURIComponent(encoded);
      const group = query.get('groupName') ?? 'default';
      request.require('scheduler:GetSchedule', `arn:aws:scheduler:${region}:${accountId}:schedule/${group}/${name}`);
      const schedule = schedules.find((candidate) => candidate.name === name && groupOf(candidate) === group);
      if (schedule === undefined)
        throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, { status: 404 });
      return jsonResponse(details(schedule, createdAt(name)));
    },
  };
}

function groupOf({ properties }: ResolvedResource): string {
  return asText(properties['GroupName']) ?? 'default';
}

function summary(schedule: ResolvedResource): JsonObject {
  return {
    Arn: arnOf(schedule),
    Name: schedule.name,
    GroupName: groupOf(schedule),
    State: asText(schedule.properties['State']) ?? 'ENABLED',
    Target: { Arn: asObject(schedule.properties['Target'])['Arn'] ?? '' },
  };
}

function details(schedule: ResolvedResource, createdAt: Date | undefined): JsonObject {
  const { properties } = schedule;
  const shown: JsonObject = {
    ScheduleExpressionTimezone: 'UTC',
    Description: '',
    ...properties,
    ...summary(schedule),
    Target: asObject(properties['Target']),
  };
  // Templates write instants as text, this protocol as epoch seconds.
  for (const key of ['StartDate', 'EndDate']) {
    const instant = asText(properties[key]);
    if (instant !== undefined) shown[key] = Date.parse(instant) / 1000;
  }
  if (createdAt !== undefined) shown['CreationDate'] = createdAt.getTime() / 1000;
  return shown;
}
