import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { campaignHeldBy } from '#shared/ledger/switches.ts';
import { nextOccurrence, scheduledCommand } from '../plan/schedule-occurrences.ts';
import type { SwitchReport } from '../switches/switches.ts';
import type { CampaignOf } from './run-facts.ts';

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
  /** The guard that will skip that start, as the switches are now. */
  readonly skipped?: 'FROZEN' | 'PAUSED' | 'HELD_BY_ALARM';
}

/** The schedules by their next time; those that fire no more come last. Pure. */
export function scheduleStatuses(
  schedules: readonly DeployedSchedule[],
  now: Date,
  held: Held = { switches: [], campaignOf: undefined },
): readonly ScheduleStatus[] {
  return schedules
    .map((schedule) => scheduleStatus(schedule, now, held))
    .toSorted((a, b) => instantOf(a) - instantOf(b) || a.name.localeCompare(b.name));
}

function instantOf({ next }: ScheduleStatus): number {
  return next === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(next);
}

function scheduleStatus(schedule: DeployedSchedule, now: Date, held: Held): ScheduleStatus {
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
    skipped: action === 'start' && next !== undefined ? skippedBy({ name, run, next }, held) : undefined,
  };
}

interface Held {
  readonly switches: readonly SwitchReport[];
  readonly campaignOf: CampaignOf;
}

function skippedBy(
  { name, run, next }: { readonly name: string; readonly run: string | undefined; readonly next: Date },
  { switches, campaignOf }: Held,
): ScheduleStatus['skipped'] {
  const campaign = run === undefined ? undefined : campaignOf?.(run);
  const on = switches.filter(({ until }) => until === undefined || next.getTime() < Date.parse(until));
  if (on.some(({ scope }) => scope === 'stage')) return 'FROZEN';
  const held = on.filter((one) =>
    one.scope === 'schedule' ? one.name === name : campaign !== undefined && campaignHeldBy(one) === campaign,
  );
  if (held.length === 0) return undefined;
  return held.every(({ scope }) => scope === 'alarm') ? 'HELD_BY_ALARM' : 'PAUSED';
}
