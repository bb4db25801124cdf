import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type LocalSchedule, localScheduleOf, type StatedSchedule } from '../../schedules/local-schedule.ts';
import { readSchedule } from '../../schedules/schedule-book.ts';
import { arnIn, resourcesOfType } from '../../template/cloud-assembly.ts';
import { type JsonObject, parseJsonObject } from '../../template/json.ts';
import { scheduleRow, typedResources } from '../../template/resource-properties.ts';
import type { AwsStage } from './aws-stage.ts';
import { type AwsRequest, type AwsService, jsonBody, jsonResponse } from '../wire/aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';
import { readInput } from '../wire/operations.ts';

const SCHEDULE_PATH = /^\/schedules\/([^/]+)$/;

/** The runner's own scheduler, as far as its API needs it. */
export interface SchedulesPort {
  /** When a schedule was created; unknown until the runner's scheduler runs. */
  readonly createdAt: (name: string) => Date | undefined;
  /** Throws if it cannot be computed. */
  readonly add: (schedule: LocalSchedule) => void;
}

/** Where schedules are stated. */
type Stated = Pick<AwsStage, 'assembly' | 'made'>;

interface SchedulerStage extends AwsStage {
  readonly schedules: SchedulesPort;
}

export function createSchedulerService(schedules: SchedulesPort, stage: AwsStage): AwsService {
  return {
    name: 'scheduler',
    protocol: 'json',
    handle(request) {
      const { method, path } = request;
      if (method === 'GET' && path === '/schedules') return jsonResponse(list(request, stage));
      const encoded = SCHEDULE_PATH.exec(path)?.[1];
      const operation = encoded === undefined ? undefined : operations[method];
      if (encoded === undefined || operation === undefined) throw notEmulated('scheduler', `${method} ${path}`);
      return jsonResponse(operation(decodeURIComponent(encoded), request, { ...stage, schedules }));
    },
  };
}

type ScheduleOperation = (name: string, request: AwsRequest, stage: SchedulerStage) => object;

const operations: Readonly<Record<string, ScheduleOperation>> = {
  GET(name, request, stage) {
    const { schedule, arn } = find(name, 'GetSchedule', request, stage);
    const { StartDate, EndDate } = schedule;
    const createdAt = stage.schedules.createdAt(name);
    const times = { StartDate: secondsOf(StartDate), EndDate: secondsOf(EndDate), CreationDate: secondsOf(createdAt) };
    return { Description: '', ...schedule, Arn: arn, ...times };
  },
  POST(name, request, stage) {
    const schedule = sentSchedule(name, 'CreateSchedule', request, stage);
    const { GroupName: group } = schedule;
    // Scheduler API, CreateSchedule: the group must be there, and the name free.
    const groups = resourcesOfType(stage.assembly, 'AWS::Scheduler::ScheduleGroup').map((one) => one.name);
    if (group !== 'default' && !groups.includes(group)) throw notFound(`Schedule group ${group}`);
    if (all(stage).some(({ Name }) => Name === name))
      throw new AwsError('ConflictException', `Schedule ${name} already exists.`, 409);
    put(schedule, request, stage);
    stage.made.put('schedule', name, schedule);
    return { ScheduleArn: arnOf(schedule, stage) };
  },
  PUT(name, request, stage) {
    const schedule = sentSchedule(name, 'UpdateSchedule', request, stage);
    found(schedule, stage);
    put(schedule, request, stage);
    const declared = declaredIn(stage.assembly).find(({ Name }) => Name === name);
    if (declared === undefined) stage.made.put('schedule', name, schedule);
    else stage.made.put('changed-schedule', name, { Name: name, Declared: declared, Now: schedule });
    return { ScheduleArn: arnOf(schedule, stage) };
  },
};

type Named = Pick<StatedSchedule, 'Name' | 'GroupName'>;

function arnOf({ Name, GroupName }: Named, { assembly }: Stated): string {
  return arnIn(assembly, 'scheduler', `schedule/${GroupName}/${Name}`);
}

/** The schedule that a request without a body is about. */
function find(name: string, action: string, request: AwsRequest, stage: Stated) {
  const named = { Name: name, GroupName: request.query.get('groupName') ?? 'default' };
  const arn = arnOf(named, stage);
  request.require(`scheduler:${action}`, arn);
  return { schedule: found(named, stage), arn };
}

function found({ Name: name, GroupName: group }: Named, stage: Stated): StatedSchedule {
  const schedule = all(stage).find(({ Name, GroupName }) => Name === name && GroupName === group);
  if (schedule === undefined) throw notFound(`Schedule ${name}`);
  return schedule;
}

function notFound(what: string): AwsError {
  return new AwsError('ResourceNotFoundException', `${what} does not exist.`, 404);
}

/** A schedule as a call states it, its right asked for. */
function sentSchedule(name: string, action: string, request: AwsRequest, stage: Stated): StatedSchedule {
  const { ClientToken: _, ...sent } = readInput(scheduleRow, jsonBody(request), `scheduler:${action}`);
  const schedule = { ...sent, Name: name };
  request.require(`scheduler:${action}`, arnOf(schedule, stage));
  return schedule;
}

/** Hands a schedule to the scheduler, if it can be computed and its role is one that the caller may pass and Scheduler may assume. */
function put(schedule: StatedSchedule, request: AwsRequest, stage: SchedulerStage): void {
  const { assembly, authority, schedules } = stage;
  const { Name: name, GroupName: group, Target: target } = schedule;
  request.require('iam:PassRole', target.RoleArn, { 'iam:PassedToService': 'scheduler.amazonaws.com' });
  const groupArn = arnIn(assembly, 'scheduler', `schedule-group/${group}`);
  const context = { 'aws:SourceAccount': assembly.accountId, 'aws:SourceArn': groupArn };
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

function list(request: AwsRequest, stage: Stated): object {
  // For any group (https://github.com/aws/aws-cdk/issues/38201).
  request.require('scheduler:ListSchedules', arnIn(stage.assembly, 'scheduler', 'schedule/*/*'));
  const group = request.query.get('ScheduleGroup');
  const prefix = request.query.get('NamePrefix') ?? '';
  const Schedules = all(stage)
    .filter(({ Name, GroupName }) => Name.startsWith(prefix) && (group === null || GroupName === group))
    .map((schedule) => {
      const { Name, GroupName, State, Target } = schedule;
      return { Arn: arnOf(schedule, stage), Name, GroupName, State, Target: { Arn: Target.Arn } };
    });
  return { Schedules };
}

function all(stage: Stated): readonly StatedSchedule[] {
  return [...declaredSchedules(stage), ...madeSchedules(stage)];
}

/**
 * The schedules of a stage as they are now: those of the template, and those that calls have made.
 */
export function localSchedules(stage: Stated): readonly LocalSchedule[] {
  return all(stage).map((schedule) => localScheduleOf(schedule, stage.assembly));
}

function madeSchedules({ made }: Stated): readonly StatedSchedule[] {
  return made.all('schedule').map((kept) => statedRow.parse(kept));
}

/**
 * As a deployment does, a template that declares another schedule than before puts that in the
 * place of what a call has changed.
 */
function declaredSchedules({ assembly, made }: Stated): readonly StatedSchedule[] {
  const changes = new Map(made.all('changed-schedule').map((change) => [change['Name'], change]));
  return declaredIn(assembly).map((declared) => {
    const change = changes.get(declared.Name);
    return isDeepStrictEqual(change?.['Declared'], jsonOf(declared)) ? statedRow.parse(change?.['Now']) : declared;
  });
}

const statedRow = scheduleRow.extend({ Name: z.string() });

function declaredIn(assembly: AwsStage['assembly']): readonly StatedSchedule[] {
  return typedResources(assembly, 'AWS::Scheduler::Schedule').map(({ name, typed }) => ({ ...typed, Name: name }));
}

function jsonOf(schedule: StatedSchedule): JsonObject {
  return parseJsonObject(JSON.stringify(schedule), schedule.Name);
}

function secondsOf(at: Date | undefined): number | undefined {
  return at === undefined ? undefined : at.getTime() / 1000;
}
