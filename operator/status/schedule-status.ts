import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { nextOccurrence, scheduledCommand } from '../plan/occurrences.ts';

/** A schedule, what it asks for, and when it fires next. */
export interface ScheduleStatus {
  readonly name: string;
  readonly expression: string;
  readonly timezone: string;
  readonly isEnabled: boolean;
  /** Of a schedule that sends commands; absent if it wakes a worker. */
  readonly action?: 'start' | 'stop';
  /** The configured run that it starts or stops. */
  readonly run?: string;
  /** UTC. Absent if it never fires again, or if only Scheduler knows when. */
  readonly next?: string;
}

/** The schedules by their next time; those that fire no more come last. Pure. */
export function scheduleStatuses(schedules: readonly DeployedSchedule[], now: Date): readonly ScheduleStatus[] {
  return schedules
    .map((schedule) => scheduleStatus(schedule, now))
    .toSorted((a, b) => instantOf(a) - instantOf(b) || a.name.localeCompare(b.name));
}

function instantOf({ next }: ScheduleStatus): number {
  return next === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(next);
}

function scheduleStatus(schedule: DeployedSchedule, now: Date): ScheduleStatus {
  const { name, expression, timezone, isEnabled } = schedule;
  const next = isEnabled ? nextOccurrence(schedule, now) : undefined;
  const { action, run } = scheduledCommand(schedule, now) ?? {};
  return {
    name,
    expression,
    timezone,
    isEnabled,
    action,
    run,
    next: next?.toISOString(),
  };
}
