import { isDeepStrictEqual } from 'node:util';
import type { Authority } from '../iam/authority.ts';
import { type LocalSchedule, localScheduleOf, scheduleArn } from '../../schedules/local-schedule.ts';
import { readSchedule } from '../../schedules/schedule-book.ts';
import {
  asNumber,
  asObject,
  asText,
  type JsonObject,
  type ResolvedAssembly,
  resourcesOfType,
} from '../../template/assembly.ts';
import type { MadeResources } from '../storage/open-database.ts';
import {
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonBody,
  jsonResponse,
  notEmulated,
} from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
const SCHEDULE_PATH = /^\/schedules\/([^/]+)$/;

/** The runner's own scheduler, as far as its API needs it. */
export interface SchedulesPort {
  /** When a schedule was created; unknown until the runner's scheduler runs. */
  readonly createdAt: (name: string) => Date | undefined;
  /** Throws if it cannot be computed. */
  readonly add: (schedule: LocalSchedule) => void;
  readonly remove: (name: string) => void;
}

/** What the service needs. */
export interface SchedulerServiceOptions {
  readonly assembly: ResolvedAssembly;
  readonly made: MadeResources;
  readonly authority: Pick<Authority, 'canAssume'>;
  readonly schedules: SchedulesPort;
}

/** A request about one schedule, its right asked for. */
interface Addressed {
  readonly name: string;
  readonly group: string;
  readonly arn: string;
}

/** Creates the service. */
export function createSchedulerService(options: SchedulerServiceOptions): AwsService {
  return {
    name: 'scheduler',
    protocol: 'rest-json',
    handle(request) {
      const { method, path } = request;
      if (method === 'GET' && path === '/schedules') return list(request, options);
      const encoded = SCHEDULE_PATH.exec(path)?.[1];
      const operation = encoded === undefined ? undefined : operations[method];
      if (encoded === undefined || operation === undefined) throw notEmulated('scheduler', `${method} ${path}`);
      return operation(decodeURIComponent(encoded), request, options);
    },
  };
}

type ScheduleOperation = (name: string, request: AwsRequest, options: SchedulerServiceOptions) => AwsResponse;

const operations: Readonly<Record<string, ScheduleOperation>> = {
  GET(name, request, options) {
    const group = request.query.get('groupName') ?? 'default';
    const found = find(addressed({ name, group, action: 'GetSchedule' }, request, options), options);
    return jsonResponse(details(found, options.schedules.createdAt(name)));
  },
  POST(name, request, options) {
    const { at, schedule } = sentSchedule(name, 'CreateSchedule', request, options);
    refuseBadPlace(at, options);
    refuseBadRole(at, schedule, { request, options });
    options.schedules.add(computable(schedule, options));
    options.made.put('schedule', name, schedule);
    return jsonResponse({ ScheduleArn: at.arn });
  },
  PUT(name, request, options) {
    const { at, schedule } = sentSchedule(name, 'UpdateSchedule', request, options);
    find(at, options);
    refuseBadRole(at, schedule, { request, options });
    options.schedules.add(computable(schedule, options));
    const declared = declaredIn(options.assembly).find((one) => nameOf(one) === name);
    if (declared === undefined) options.made.put('schedule', name, schedule);
    else options.made.put('changed-schedule', name, { Name: name, Declared: declared, Now: schedule });
    return jsonResponse({ ScheduleArn: at.arn });
  },
  DELETE(name, request, options) {
    const group = request.query.get('groupName') ?? 'default';
    find(addressed({ name, group, action: 'DeleteSchedule' }, request, options), options);
    if (!options.made.all('schedule').some(({ Name }) => Name === name))
      throw notEmulated('scheduler', `DeleteSchedule of ${name}, a schedule of the template,`);
    options.schedules.remove(name);
    options.made.remove('schedule', name);
    return jsonResponse({});
  },
};

function addressed(
  { name, group, action }: { readonly name: string; readonly group: string; readonly action: string },
  request: AwsRequest,
  { assembly: { region, accountId } }: SchedulerServiceOptions,
): Addressed {
  const arn = scheduleArn({ region, accountId, groupName: group, name });
  request.require(`scheduler:${action}`, arn);
  return { name, group, arn };
}

/** A schedule as a call states it, with instants as a template writes them. */
function sentSchedule(
  name: string,
  action: string,
  request: AwsRequest,
  options: SchedulerServiceOptions,
): { readonly at: Addressed; readonly schedule: JsonObject } {
  const properties = jsonBody(request);
  const at = addressed({ name, group: asText(properties['GroupName']) ?? 'default', action }, request, options);
  const schedule: JsonObject = { ...properties, Name: name, GroupName: at.group };
  for (const key of instantKeys) {
    const instant = new Date((asNumber(schedule[key]) ?? Number.NaN) * 1000);
    // What is no time stays as it was sent, and is refused with the rest.
    if (!Number.isNaN(instant.getTime())) schedule[key] = instant.toISOString();
  }
  return { at, schedule };
}

/** Scheduler API, CreateSchedule and UpdateSchedule, Errors: a schedule that cannot be computed is refused. */
function computable(properties: JsonObject, { assembly }: SchedulerServiceOptions): LocalSchedule {
  const schedule = localScheduleOf(properties, assembly);
  const read = readSchedule(schedule);
  if (!read.ok) throw new AwsError('ValidationException', `Invalid schedule ${schedule.name}: ${read.problem}`);
  return schedule;
}

/** Templates write these as text, the protocol as epoch seconds. */
const instantKeys = ['StartDate', 'EndDate'];

/** Scheduler API, CreateSchedule: the group must be there, and the name free. */
function refuseBadPlace({ name, group }: Addressed, options: SchedulerServiceOptions): void {
  const { assembly } = options;
  const groups = resourcesOfType(assembly, 'AWS::Scheduler::ScheduleGroup').map((one) => one.name);
  if (group !== 'default' && !groups.includes(group))
    throw new AwsError('ResourceNotFoundException', `Schedule group ${group} does not exist.`, { status: 404 });
  if (all(options).some(({ Name }) => Name === name))
    throw new AwsError('ConflictException', `Schedule ${name} already exists.`, { status: 409 });
}

/** Scheduler API: the role is one that the caller may pass and Scheduler may assume. */
function refuseBadRole(
  { arn }: Addressed,
  properties: JsonObject,
  { request, options }: { readonly request: AwsRequest; readonly options: SchedulerServiceOptions },
): void {
  const { assembly, authority } = options;
  const roleArn = asText(asObject(properties['Target'])['RoleArn']) ?? '';
  request.require('iam:PassRole', roleArn, { 'iam:PassedToService': 'scheduler.amazonaws.com' });
  const groupArn = arn.replace(':schedule/', ':schedule-group/').split('/').slice(0, 2).join('/');
  const context = { 'aws:SourceAccount': assembly.accountId, 'aws:SourceArn': groupArn };
  if (!canAssume(authority, roleArn, context))
    throw new AwsError(
      'ValidationException',
      'The execution role you provide must allow AWS EventBridge Scheduler to assume the role.',
    );
}

function canAssume(
  authority: SchedulerServiceOptions['authority'],
  roleArn: string,
  context: Readonly<Record<string, string>>,
): boolean {
  try {
    return authority.canAssume(roleArn, 'scheduler.amazonaws.com', context);
  } catch {
    // There is no such role.
    return false;
  }
}

function list(request: AwsRequest, options: SchedulerServiceOptions): AwsResponse {
  const { region, accountId } = options.assembly;
  // For any group (https://github.com/aws/aws-cdk/issues/38201).
  request.require('scheduler:ListSchedules', `arn:aws:scheduler:${region}:${accountId}:schedule/*/*`);
  const group = request.query.get('ScheduleGroup');
  const prefix = request.query.get('NamePrefix') ?? '';
  const listed = all(options).filter(
    (schedule) => nameOf(schedule).startsWith(prefix) && (group === null || groupOf(schedule) === group),
  );
  return jsonResponse({ Schedules: listed.map((schedule) => summary(schedule, options)) });
}

/** Their properties, which the API and templates name alike. */
function all(options: SchedulerServiceOptions): readonly JsonObject[] {
  return [...declaredSchedules(options), ...options.made.all('schedule')];
}

/**
 * The schedules of the template as they are now. As a deployment does, a template that declares another schedule than before puts that in the place of
 * what a call has changed.
 */
export function declaredSchedules({
  assembly,
  made,
}: Pick<SchedulerServiceOptions, 'assembly' | 'made'>): readonly JsonObject[] {
  const changes = new Map(made.all('changed-schedule').map((change) => [nameOf(change), change]));
  return declaredIn(assembly).map((declared) => {
    const change = changes.get(nameOf(declared));
    return change !== undefined && isDeepStrictEqual(change['Declared'], declared) ? asObject(change['Now']) : declared;
  });
}

function declaredIn(assembly: ResolvedAssembly): readonly JsonObject[] {
  return resourcesOfType(assembly, 'AWS::Scheduler::Schedule').map(({ name, properties }) => ({
    ...properties,
    Name: name,
  }));
}

function find({ name, group, arn }: Addressed, options: SchedulerServiceOptions): JsonObject {
  const found = all(options).find((candidate) => nameOf(candidate) === name && groupOf(candidate) === group);
  if (found === undefined)
    throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, { status: 404 });
  return { ...found, Arn: arn };
}

function nameOf(schedule: JsonObject): string {
  return asText(schedule['Name']) ?? '';
}

function groupOf(schedule: JsonObject): string {
  return asText(schedule['GroupName']) ?? 'default';
}

function summary(schedule: JsonObject, { assembly }: SchedulerServiceOptions): JsonObject {
  const [name, groupName] = [nameOf(schedule), groupOf(schedule)];
  const { region, accountId } = assembly;
  return {
    Arn: scheduleArn({ region, accountId, groupName, name }),
    Name: name,
    GroupName: groupName,
    State: asText(schedule['State']) ?? 'ENABLED',
    Target: { Arn: asObject(schedule['Target'])['Arn'] ?? '' },
  };
}

function details(schedule: JsonObject, createdAt: Date | undefined): JsonObject {
  const shown: JsonObject = {
    ScheduleExpressionTimezone: 'UTC',
    Description: '',
    State: 'ENABLED',
    ...schedule,
    GroupName: groupOf(schedule),
    Target: asObject(schedule['Target']),
  };
  for (const key of instantKeys) {
    const instant = asText(schedule[key]);
    if (instant !== undefined) shown[key] = Date.parse(instant) / 1000;
  }
  if (createdAt !== undefined) shown['CreationDate'] = createdAt.getTime() / 1000;
  return shown;
}
