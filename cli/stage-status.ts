import type { QueueDepth } from '../shared/aws/queue-depth.ts';
import type { DeployedSchedule, Schedules } from '../shared/aws/schedules.ts';
import { type GateItem, ledgerKeys, type RecentOutcome } from '../shared/ledger/items.ts';
import type { Ledger, Stored } from '../shared/ledger/ledger.ts';
import { readRecentOutcomes } from '../shared/ledger/recent-outcomes.ts';
import { nextFireTimes } from '../shared/schedule/fire-times.ts';
import { parseScheduleExpression } from '../shared/schedule/schedule-expression.ts';
import type { StageOutputs } from '../shared/vocabulary/stack-outputs.ts';
import type { CommandDeps } from './deps.ts';
import { entriesOf, listParked, type ParkedEntry } from './parked-rows.ts';

/** A stage at one glance. */
export interface StageStatus {
  readonly stage: string;
  readonly now: string;
  readonly gate: GateStatus;
  readonly queues: readonly (QueueDepth & { readonly name: string; readonly isDeadLetter: boolean })[];
  readonly schedules: readonly ScheduleStatus[];
  readonly parked: readonly ParkedEntry[];
  readonly inFlight: readonly { readonly kind: string; readonly subject: string; readonly since: string }[];
  readonly recent: readonly RecentOutcome[];
}

/** Whether the workers may call the gateway; if not, until when: the end of a pause, or the next probe of a gate that is closed. */
export type GateStatus =
  | { readonly state: 'open' }
  | {
      readonly state: 'paused' | 'closed';
      readonly since: string;
      readonly reason: string;
      readonly until: string;
    };

/** A schedule and when it fires next. */
export interface ScheduleStatus {
  readonly name: string;
  readonly expression: string;
  readonly timezone: string;
  readonly isEnabled: boolean;
  /** UTC. Absent where it never fires again, or where only Scheduler knows. */
  readonly next?: string;
}

const queueNames = {
  CommandsQueueUrl: 'commands',
  CommandsDeadLetterQueueUrl: 'commands, dead letters',
  UploadsQueueUrl: 'uploads',
  UploadsDeadLetterQueueUrl: 'uploads, dead letters',
  PlansQueueUrl: 'plans',
  PlansDeadLetterQueueUrl: 'plans, dead letters',
  SchedulesDeadLetterQueueUrl: 'schedules, dead letters',
} as const satisfies Partial<Record<keyof StageOutputs, string>>;

/** Reads everything at once: each part is one or a few calls. */
export async function readStageStatus(deps: CommandDeps): Promise<StageStatus> {
  const [now, outputs, ledger] = await Promise.all([deps.now(), deps.stage.outputs(), deps.stage.ledger()]);
  const [gate, queues, schedules, parked, inFlight, recent] = await Promise.all([
    readGate(ledger, now),
    readQueues(outputs, deps),
    deps.stage.schedules().then((group) => readSchedules(group, now)),
    listParked(ledger),
    readInFlight(ledger),
    readRecentOutcomes(ledger),
  ]);
  return {
    stage: deps.target.stage,
    now: now.toISOString(),
    gate,
    queues,
    schedules,
    parked: entriesOf(parked),
    inFlight,
    recent,
  };
}

async function readGate(ledger: Ledger, now: Date): Promise<GateStatus> {
  const { closed, pausedUntil = '', since = '', reason = '' } = (await ledger.read<GateItem>(ledgerKeys.gate())) ?? {};
  if (closed !== undefined) return { state: 'closed', since, reason, until: closed.probeAt };
  return Date.parse(pausedUntil) > now.getTime()
    ? { state: 'paused', since, reason, until: pausedUntil }
    : { state: 'open' };
}

async function readQueues(outputs: StageOutputs, deps: CommandDeps): Promise<StageStatus['queues']> {
  const keys = Object.keys(queueNames) as (keyof typeof queueNames)[];
  return Promise.all(
    keys.map(async (key) => ({
      name: queueNames[key],
      isDeadLetter: key.includes('DeadLetter'),
      ...(await deps.stage.depth(outputs[key])),
    })),
  );
}

async function readSchedules(group: Schedules, now: Date): Promise<readonly ScheduleStatus[]> {
  const found = await Promise.all((await group.names()).map((name) => group.find(name)));
  return found
    .filter((schedule) => schedule !== undefined)
    .map((schedule) => scheduleStatus(schedule, now))
    .toSorted((a, b) => instantOf(a) - instantOf(b) || a.name.localeCompare(b.name));
}

/** Those that fire no more come last. */
function instantOf({ next }: ScheduleStatus): number {
  return next === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(next);
}

function scheduleStatus(schedule: DeployedSchedule, now: Date): ScheduleStatus {
  const { name, expression, timezone, isEnabled } = schedule;
  const next = isEnabled ? nextTime(schedule, now) : undefined;
  return { name, expression, timezone, isEnabled, ...(next === undefined ? {} : { next: next.toISOString() }) };
}

function nextTime(schedule: DeployedSchedule, now: Date): Date | undefined {
  const { endDate, createdAt } = schedule;
  const parsed = parseScheduleExpression(schedule.expression);
  if (!parsed.ok) return undefined;
  const isRate = parsed.value.kind === 'rate';
  // A rate without a start counts from its creation, as near as anybody but Scheduler can tell.
  const startDate = schedule.startDate ?? (isRate ? createdAt : undefined);
  if (isRate && startDate === undefined) return undefined;
  const [next] = nextFireTimes(parsed.value, schedule.timezone, now, { count: 1, startDate, endDate });
  return next;
}

async function readInFlight(ledger: Ledger): Promise<StageStatus['inFlight']> {
  const [runs, messages] = await Promise.all([ledger.listOpen('RUN_IN_FLIGHT'), ledger.listOpen('IN_FLIGHT')]);
  return [...runs.items, ...messages.items].map((row) => ({
    kind: row.kind,
    subject: subjectOfOpen(row),
    since: row.openSince ?? '',
  }));
}

function subjectOfOpen(row: Stored): string {
  switch (row.kind) {
    case 'run':
      return row.run === undefined ? row.campaignRunId : `${row.run} (${row.campaignRunId})`;
    case 'upload':
    case 'plan':
      return row.key;
    case 'command':
      return row.id;
    case 'watch':
      return row.name;
    case 'guard':
    case 'binding':
    case 'dataset':
    case 'message':
    case 'watch-chunk':
    case 'watch-walk':
    case 'gate':
    case 'due-stops':
    case 'handle':
    case 'reconcile':
    case 'recent':
      return row.pk;
  }
}
