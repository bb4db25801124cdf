import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Authority } from '../iam/authority.ts';
import {
  type LocalSchedule,
  localScheduleOf,
  scheduleArn,
  type StatedSchedule,
} from '../../schedules/local-schedule.ts';
import { readSchedule } from '../../schedules/schedule-book.ts';
import { type JsonObject, parseJsonObject, type ResolvedAssembly, resourcesOfType } from '../../template/assembly.ts';
import { scheduleRow, typedResources } from '../../template/resource-properties.ts';
import type { MadeResources } from '../storage/open-database.ts';
import { type AwsRequest, type AwsService, jsonBody, jsonResponse, notEmulated } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { readInput } from '../wire/operations.ts';

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

/** Creates the service. */
export function createSchedulerService(options: SchedulerServiceOptions): AwsService {
  return {
    name: 'scheduler',
    protocol: 'rest-json',
    handle(request) {
      const { method, path } = request;
      if (method === 'GET' && path === '/schedules') return jsonResponse(list(request, options));
      const encoded = SCHEDULE_PATH.exec(path)?.[1];
      const operation = encoded === undefined ? undefined : operations[method];
      if (encoded === undefined || operation === undefined) throw notEmulated('scheduler', `${method} ${path}`);
      return jsonResponse(operation(decodeURIComponent(encoded), request, options));
    },
  };
}

type ScheduleOperation = (name: string, request: AwsRequest, options: SchedulerServiceOptions) => object;

const operations: Readonly<Record<string, ScheduleOperation>> = {
  GET(name, request, options) {
    const { schedule, arn } = find(name, 'GetSchedule', request, options);
    const { StartDate, EndDate } = schedule;
    const createdAt = options.schedules.createdAt(name);
    const times = { StartDate: secondsOf(StartDate), EndDate: secondsOf(EndDate), CreationDate: secondsOf(createdAt) };
    return { Description: '', ...schedule, Arn: arn, ...times };
  },
  POST(name, request, options) {
    const schedule = sentSchedule(name, 'CreateSchedule', request, options);
    const { GroupName: group } = schedule;
    // Scheduler API, CreateSchedule: the group must be there, and the name free.
    const groups = resourcesOfType(options.assembly, 'AWS::Scheduler::ScheduleGroup').map((one) => one.name);
    if (group !== 'default' && !groups.includes(group)) throw notFound(`Schedule group ${group}`);
    if (all(options).some(({ Name }) => Name === name))
      throw new AwsError('ConflictException', `Schedule ${name} already exists.`, { status: 409 });
    put(schedule, request, options);
    options.made.put('schedule', name, jsonOf(schedule));
    return { ScheduleArn: arnOf(schedule, options) };
  },
  PUT(name, request, options) {
    const schedule = sentSchedule(name, 'UpdateSchedule', request, options);
    found(schedule, options);
    put(schedule, request, options);
    const declared = declaredIn(options.assembly).find(({ Name }) => Name === name);
    if (declared === undefined) options.made.put('schedule', name, jsonOf(schedule));
    else options.made.put('changed-schedule', name, { Name: name, Declared: jsonOf(declared), Now: jsonOf(schedule) });
    return { ScheduleArn: arnOf(schedule, options) };
  },
  DELETE(name, request, options) {
    find(name, 'DeleteSchedule', request, options);
    if (!options.made.all('schedule').some(({ Name }) => Name === name))
      throw notEmulated('scheduler', `DeleteSchedule of ${name}, a schedule of the template,`);
    options.schedules.remove(name);
    options.made.remove('schedule', name);
    return {};
  },
};

type Named = Pick<StatedSchedule, 'Name' | 'GroupName'>;

function arnOf({ Name: name, GroupName: groupName }: Named, { assembly }: SchedulerServiceOptions): string {
  const { region, accountId } = assembly;
  return scheduleArn({ region, accountId, groupName, name });
}

/** The schedule that a request without a body is about. */
function find(name: string, action: string, request: AwsRequest, options: SchedulerServiceOptions) {
  const named = { Name: name, GroupName: request.query.get('groupName') ?? 'default' };
  const arn = arnOf(named, options);
  request.require(`scheduler:${action}`, arn);
  return { schedule: found(named, options), arn };
}

function found({ Name: name, GroupName: group }: Named, options: SchedulerServiceOptions): StatedSchedule {
  const schedule = all(options).find(({ Name, GroupName }) => Name === name && GroupName === group);
  if (schedule === undefined) throw notFound(`Schedule ${name}`);
  return schedule;
}

function notFound(what: string): AwsError {
  return new AwsError('ResourceNotFoundException', `${what} does not exist.`, { status: 404 });
}

/** A schedule as a call states it, its right asked for. */
function sentSchedule(
  name: string,
  action: string,
  request: AwsRequest,
  options: SchedulerServiceOptions,
): StatedSchedule {
  const { ClientToken: _, ...sent } = readInput(scheduleRow, jsonBody(request), `scheduler:${action}`);
  const schedule = { ...sent, Name: name };
  request.require(`scheduler:${action}`, arnOf(schedule, options));
  return schedule;
}

/** Hands a schedule to the scheduler, if it can be computed and its role is one that the caller may pass and Scheduler may assume. */
function put(schedule: StatedSchedule, request: AwsRequest, options: SchedulerServiceOptions): void {
  const { assembly, authority, schedules } = options;
  const { Name: name, GroupName: group, Target: target } = schedule;
  request.require('iam:PassRole', target.RoleArn, { 'iam:PassedToService': 'scheduler.amazonaws.com' });
  const { region, accountId } = assembly;
  const groupArn = `arn:aws:scheduler:${region}:${accountId}:schedule-group/${group}`;
  const context = { 'aws:SourceAccount': accountId, 'aws:SourceArn': groupArn };
  if (!authority.canAssume(target.RoleArn, 'scheduler.amazonaws.com', context))
    throw new AwsError(
      'ValidationException',
      'The execution role you provide must allow AWS EventBridge Scheduler to assume the role.',
    );
  const local = localScheduleOf(schedule, assembly);
  const read = readSchedule(local);
  if (!read.ok) throw new AwsError('ValidationException', `Invalid schedule ${name}: ${read.problem}`);
  schedules.add(local);
}

function list(request: AwsRequest, options: SchedulerServiceOptions): object {
  const { region, accountId } = options.assembly;
  // For any group (https://github.com/aws/aws-cdk/issues/38201).
  request.require('scheduler:ListSchedules', `arn:aws:scheduler:${region}:${accountId}:schedule/*/*`);
  const group = request.query.get('ScheduleGroup');
  const prefix = request.query.get('NamePrefix') ?? '';
  const Schedules = all(options)
    .filter(({ Name, GroupName }) => Name.startsWith(prefix) && (group === null || GroupName === group))
    .map((schedule) => {
      const { Name, GroupName, State, Target } = schedule;
      return { Arn: arnOf(schedule, options), Name, GroupName, State, Target: { Arn: Target.Arn } };
    });
  return { Schedules };
}

/** The places in which schedules are stated. */
type Stated = Pick<SchedulerServiceOptions, 'assembly' | 'made'>;

function all(stated: Stated): readonly StatedSchedule[] {
  return [...declaredSchedules(stated), ...madeSchedules(stated)];
}

/** The schedules that calls have made. */
export function madeSchedules({ made }: Pick<Stated, 'made'>): readonly StatedSchedule[] {
  return made.all('schedule').map((kept) => statedRow.parse(kept));
}

/**
 * The schedules of the template as they are now. As a deployment does, a template that declares another schedule than before puts that in the place of
 * what a call has changed.
 */
export function declaredSchedules({ assembly, made }: Stated): readonly StatedSchedule[] {
  const changes = new Map(made.all('changed-schedule').map((change) => [change['Name'], change]));
  return declaredIn(assembly).map((declared) => {
    const change = changes.get(declared.Name);
    return isDeepStrictEqual(change?.['Declared'], jsonOf(declared)) ? statedRow.parse(change?.['Now']) : declared;
  });
}

const statedRow = scheduleRow.extend({ Name: z.string() });

function declaredIn(assembly: ResolvedAssembly): readonly StatedSchedule[] {
  return typedResources(assembly, 'AWS::Scheduler::Schedule').map(({ name, typed }) => ({ ...typed, Name: name }));
}

function jsonOf(schedule: StatedSchedule): JsonObject {
  return parseJsonObject(JSON.stringify(schedule), schedule.Name);
}

function secondsOf(at: Date | undefined): number | undefined {
  return at === undefined ? undefined : at.getTime() / 1000;
}
