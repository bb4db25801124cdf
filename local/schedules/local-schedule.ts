/** The schedules of the run on one machine, as their template or call states them. */
import { filledInput } from '#shared/schedule/scheduler-input.ts';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { fromState } from '../state/start-problem.ts';
import type { ResolvedAssembly } from '../template/cloud-assembly.ts';
import type { scheduleRow } from '../template/resource-properties.ts';

/** A schedule as a template or a call states it. */
export type StatedSchedule = z.output<typeof scheduleRow> & { readonly Name: string };

/** One AWS::Scheduler::Schedule. */
export type LocalSchedule = Omit<StatedSchedule, 'ClientToken' | 'Description' | 'FlexibleTimeWindow'> & {
  /** See {@link scheduleArn}. */
  readonly arn: string;
};

/** One time at which a schedule fires, and which attempt at it this is. */
export interface Occurrence {
  readonly scheduledTime: Date;
  /** New with every attempt, so nothing to deduplicate by. */
  readonly executionId: string;
  /** From 1. */
  readonly attempt: number;
  /** The target's input with the `<aws.scheduler.…>` words replaced. */
  readonly input: string;
}

/** What goes to a schedule's dead-letter queue when nothing helped. */
export interface DeadLetter {
  readonly body: string;
  /** String message attributes, named as AWS names them. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The ARN of a schedule in its group. */
export function scheduleArn(place: {
  readonly region: string;
  readonly accountId: string;
  readonly groupName: string;
  readonly name: string;
}): string {
  return `arn:aws:scheduler:${place.region}:${place.accountId}:schedule/${place.groupName}/${place.name}`;
}

/**
 * A watcher's schedule calls a function; a command's schedule sends to a queue. schedule-book.ts
 * fires them differently.
 */
export function callsFunction(schedule: LocalSchedule): boolean {
  return schedule.Target.Arn.split(':')[2] === 'lambda';
}

/** A schedule as the scheduler's clock runs it. */
export function localScheduleOf(
  stated: StatedSchedule,
  { region, accountId }: Pick<ResolvedAssembly, 'region' | 'accountId'>,
): LocalSchedule {
  return { ...stated, arn: scheduleArn({ region, accountId, groupName: stated.GroupName, name: stated.Name }) };
}

// What the schedules remember over a restart: when each was created, and up to when it has fired.

const Mark = z.object({
  /**
   * Changes when the schedule is another one under the same name; it then starts afresh, without
   * catching up.
   */
  signature: z.string(),
  createdAt: z.iso.datetime(),
  /** Every occurrence up to this instant was delivered, given up, or passed over. */
  firedUntil: z.iso.datetime(),
});

const State = z.object({ marks: z.record(z.string(), Mark) });

/** How far one schedule has fired. */
export type ScheduleMark = z.infer<typeof Mark>;
export type ScheduleState = z.infer<typeof State>;

/** Reads the state file; a missing one is a first start. */
export function readScheduleState(file: string): ScheduleState {
  if (!existsSync(file)) return { marks: {} };
  return fromState(file, () => State.parse(JSON.parse(readFileSync(file, 'utf8'))));
}

/** Writes the state file whole, or not at all. */
export function writeScheduleState(file: string, state: ScheduleState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** One attempt at an occurrence, with its input made out. */
export function occurrenceOf(schedule: LocalSchedule, scheduledTime: Date, attempt: number): Occurrence {
  const executionId = randomUUID();
  const { arn, Target } = schedule;
  const input = filledInput(Target.Input ?? '{}', { at: scheduledTime, arn, executionId, attempt });
  return { scheduledTime, executionId, attempt, input };
}
