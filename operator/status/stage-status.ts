import { type GateStatus, readGate } from '../stage/gate-status.ts';
import type { QueueDepth } from '#shared/aws/queue.ts';
import { type DeployedSchedule, findAll } from '#shared/aws/schedules.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { type RecentOutcome, readRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { isObserved, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import { readStartsElsewhere, type StartsElsewhere } from '#shared/ledger/starts-elsewhere.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { listSwitches } from '#shared/ledger/switches.ts';
import { type StageOutputs, versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type ScheduleStatus, scheduleStatuses } from './schedule-status.ts';
import { entriesOf, listParked, type ParkedEntry } from '../parked/parked-rows.ts';
import { isListedPending, listPending, type PendingWork } from '../outcomes/pending-work.ts';
import { runTitle, type Standing, standingOf } from '../runs/runs-in-flight.ts';
import {
  type ConfirmState,
  deferredFacts,
  firstStop,
  type DeferredFacts,
  readSilent,
  runFacts,
  type RunFacts,
  type RunStop,
  type SilentSchedule,
} from './run-facts.ts';
import { readStageMode, type StageMode } from '../stage/stage-config.ts';
import { uploadsAtGate } from '../uploads/list-uploads.ts';
import { type SwitchReport, toSwitchReport } from '../switches/switches.ts';

/** A stage at one glance. */
export type StageStatus = StageMode & {
  readonly stage: string;
  readonly now: string;
  /** The version that deployed it; absent if the stage does not say it. */
  readonly version?: string | undefined;
  /** The clock of a local run that was moved ahead of the machine's. */
  readonly clock?: { readonly offsetMs: number };
  /** Freezes and pauses that are on. */
  readonly switches: readonly SwitchReport[];
  readonly gate: GateStatus;
  readonly queues: readonly (QueueDepth & { readonly name: string; readonly isDeadLetter: boolean })[];
  readonly schedules: readonly ScheduleStatus[];
  /** Schedules without a start for as many occurrences as the configuration allows. @default none */
  readonly silent?: readonly SilentSchedule[] | undefined;
  readonly parked: readonly ParkedEntry[];
  readonly inFlight: readonly StatusInFlight[];
  /** Commands and uploads that were tried and have no outcome, and uploads that wait for the gate. */
  readonly pending: readonly PendingWork[];
  readonly recent: readonly RecentOutcome[];
  /** Starts of watched campaigns that this stage did not make, the newest first. @default none was reported */
  readonly startsElsewhere?: readonly StartsElsewhere[] | undefined;
};

/** Work that has begun and not ended; of a run also how it stands. */
export interface StatusInFlight extends Partial<Standing>, Partial<RunFacts>, Partial<RunStop>, Partial<DeferredFacts> {
  readonly kind: string;
  readonly subject: string;
  /** Of a run. */
  readonly campaignRunId?: string;
  /** Of a command. */
  readonly commandId?: string;
  readonly since: string;
  /** Of a run whose start planned a stop; `endsAt` is the stop that comes first. */
  readonly stopDueAt?: string;
  /** Nothing of it was sent: the stage only observed. */
  readonly isObserved?: true;
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
export async function readStageStatus(deps: OperatorDeps): Promise<StageStatus> {
  const [clock, outputs, ledger] = await Promise.all([
    deps.localClock?.read(),
    deps.stage.outputs(),
    deps.stage.ledger(),
  ]);
  // The local clock tells the time and how far it was moved at once.
  const now = clock?.now ?? (await deps.now());
  const [mode, switches, gate, queues, schedules, parked, open, pending, recent, elsewhere] = await Promise.all([
    readStageMode(deps),
    listSwitches(ledger, now),
    readGate(ledger, now),
    readQueues(outputs, deps),
    deps.stage.schedules().then(findAll),
    listParked(ledger),
    readOpen(ledger, now),
    listPending(ledger),
    readRecentOutcomes(ledger),
    readStartsElsewhere(ledger),
  ]);
  const uploadsQueue = queues.find(({ name }) => name === queueNames.UploadsQueueUrl);
  const inQueue = uploadsQueue === undefined ? 0 : uploadsQueue.waiting + uploadsQueue.inFlight + uploadsQueue.delayed;
  const [inFlight, atGate, silent] = await Promise.all([
    readInFlight(open, { ledger, schedules, now }),
    uploadsAtGate(gate, inQueue, deps),
    readSilent({ switches, schedules, now }, deps),
  ]);
  return {
    ...mode,
    stage: deps.target.stage,
    now: now.toISOString(),
    version: outputs[versionOutput],
    clock: clock === undefined || clock.offsetMs === 0 ? undefined : { offsetMs: clock.offsetMs },
    switches: switches.map((row) => toSwitchReport(row)),
    gate,
    queues,
    schedules: scheduleStatuses(schedules, now),
    silent: silent.length === 0 ? undefined : silent,
    parked: entriesOf(parked),
    inFlight,
    pending: [...pending, ...atGate],
    recent,
    startsElsewhere: elsewhere.length === 0 ? undefined : elsewhere,
  };
}

async function readQueues(outputs: StageOutputs, deps: OperatorDeps): Promise<StageStatus['queues']> {
  const keys = Object.keys(queueNames) as (keyof typeof queueNames)[];
  return Promise.all(
    keys.map(async (key) => ({
      name: queueNames[key],
      isDeadLetter: key.includes('DeadLetter'),
      ...(await deps.stage.depth(outputs[key])),
    })),
  );
}

/** What has begun and has no outcome: runs, and other rows. */
interface Open {
  readonly runs: readonly RunInFlight[];
  readonly work: readonly Stored[];
}

async function readOpen(ledger: Ledger, now: Date): Promise<Open> {
  const states = ['IN_FLIGHT', 'DEFERRED', 'SETTLING'] as const;
  const [runs, ...pages] = await Promise.all([
    readRunsInFlight(ledger, now),
    ...states.map(async (state) => ledger.listOpen(state)),
  ]);
  return { runs, work: pages.flatMap(({ items }) => items).filter((row) => !isListedPending(row)) };
}

/** What is known beside the rows. */
interface Beside {
  readonly ledger: Ledger;
  readonly schedules: readonly DeployedSchedule[];
  readonly now: Date;
}

async function readInFlight({ runs, work }: Open, beside: Beside): Promise<StageStatus['inFlight']> {
  return [
    ...(await Promise.all(runs.map(async (run) => runInFlight(run, beside)))),
    ...work.map((row) => ({
      kind: row.kind,
      ...subjectAndMode(row, ''),
      ...(row.kind === 'command' && { commandId: row.id }),
      since: row.openSince ?? '',
      ...deferredFacts(row),
    })),
  ];
}

async function runInFlight(run: RunInFlight, { ledger, schedules, now }: Beside): Promise<StatusInFlight> {
  const confirmed = await readConfirmState(run, ledger);
  const remark = confirmed === 'missing' ? ', its start is not confirmed' : '';
  return {
    kind: 'run',
    ...subjectAndMode(run.row, remark),
    campaignRunId: run.row.campaignRunId,
    since: run.start.effectAt,
    stopDueAt: run.start.plannedStop?.at,
    ...firstStop(run, schedules, now),
    ...standingOf(run, now),
    ...runFacts(run, confirmed, now),
  };
}

function subjectAndMode(row: Stored, remark: string): Pick<StatusInFlight, 'subject' | 'isObserved'> {
  const isOnly = isObserved(row);
  return {
    subject: `${subjectOfOpen(row)}${isOnly ? ', observed only' : ''}${remark}`,
    isObserved: isOnly ? true : undefined,
  };
}

/** Whether its campaign has shown the sign that was to show the start; `undefined` if none is awaited. */
async function readConfirmState({ row, start }: RunInFlight, ledger: Ledger): Promise<ConfirmState | undefined> {
  const { confirm, startId } = start;
  if (confirm === undefined) return undefined;
  const pk = ledgerKeys.confirmation({ campaignRunId: row.campaignRunId, commandId: startId });
  const known = await ledger.read<ConfirmationRow>(pk);
  // A repeat awaits its sign again.
  if (known?.awaited.until !== confirm.until) return 'awaited';
  if (known.confirmed !== undefined) return 'confirmed';
  return known.missingSince === undefined ? 'awaited' : 'missing';
}

function subjectOfOpen(row: Stored): string {
  switch (row.kind) {
    case 'run':
      return runTitle(row);
    case 'upload':
    case 'plan':
      return row.key;
    case 'command': {
      const why = row.deferred === undefined ? '' : `, put off by the blackout ${row.deferred.blackout}`;
      return `${commandTitle(row.command)}${why}`;
    }
    case 'watch':
      return row.changeSet === undefined ? row.name : `${row.name}, changes that wait until nothing more changes`;
    case 'project-watch':
      return row.name;
    default:
      return row.pk;
  }
}
