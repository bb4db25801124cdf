import { causeOf } from '../failures.ts';
import { type GateStatus, readGate } from '../stage/gate-status.ts';
import type { QueueDepth } from '#shared/aws/queue.ts';
import { type DeployedSchedule, findAll } from '#shared/aws/schedules.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { readingSays } from '#shared/ledger/rows/run-reading.ts';
import { type RunRow, usualMs } from '#shared/ledger/rows/run-row.ts';
import { type RecentOutcome, readRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { listSwitches } from '#shared/ledger/switches.ts';
import { modeOf, type StageOutputs, versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type ScheduleStatus, scheduleStatuses } from './schedule-status.ts';
import { entriesOf, listParked, type ParkedEntry } from '../parked/parked-rows.ts';
import { isListedPending, listPending, type PendingWork } from '../outcomes/pending-work.ts';
import { type IdsLeft, readSupplies, type Supplies } from '../plan/ids-left.ts';
import { runTitle, type Standing, standingOf, stopDueAt } from '../runs/runs-in-flight.ts';
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
import { uploadsAtGate } from '../uploads/list-uploads.ts';
import { type SwitchReport, toSwitchReport } from '../switches/switches.ts';

/** A stage at one glance. */
export interface StageStatus {
  readonly mode: 'act' | 'observe';
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
  /** The unused ids of each run; absent if the stage does not say it. */
  readonly ids?: readonly IdsLeft[] | undefined;
  /** Why the ids could not be read. */
  readonly idsUnread?: string | undefined;
  readonly parked: readonly ParkedEntry[];
  readonly inFlight: readonly StatusInFlight[];
  /** Commands and uploads that were tried and have no outcome, and uploads that wait for the gate. */
  readonly pending: readonly PendingWork[];
  readonly recent: readonly RecentOutcome[];
}

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
  /** The last run of its campaign as it was read last, if it is none of ours: it was started elsewhere. */
  readonly lastRunElsewhere?: string;
  /** Of a run: when it ends if it takes as long as the last ones of its name. */
  readonly expectedEnd?: string | undefined;
  /** Nothing of it was sent: the stage only observed. */
  readonly isObserved?: true;
}

const queueNames = {
  CommandsQueueUrl: 'commands',
  CommandsDeadLetterQueueUrl: 'commands, dead letters',
  UploadsQueueUrl: 'uploads',
  UploadsDeadLetterQueueUrl: 'uploads, dead letters',
  SchedulesDeadLetterQueueUrl: 'schedules, dead letters',
} as const satisfies Partial<Record<keyof StageOutputs, string>>;

/** Reads a stage as `status` tells it; a stage that does not answer about its ids has none. */
export async function readStageStatus(deps: OperatorDeps): Promise<StageStatus> {
  let idsUnread: string | undefined;
  const { status } = await readStage(deps, async (read) =>
    read().catch((error: unknown) => {
      idsUnread = causeOf(error);
      return undefined;
    }),
  );
  return { ...status, idsUnread };
}

/** Reads the one part that asks a function of the stage, and says what comes of a failure; or leaves it out. */
type SuppliesPart = (read: () => Promise<Supplies>) => Promise<Supplies | undefined>;

/** Reads everything at once: each part is one or a few calls. */
export async function readStage(
  deps: OperatorDeps,
  suppliesPart: SuppliesPart,
): Promise<{ readonly status: StageStatus; readonly supplies: Supplies | undefined }> {
  const [clock, outputs, ledger, acting] = await Promise.all([
    deps.localClock?.read(),
    deps.stage.outputs(),
    deps.stage.ledger(),
    deps.stage.acting(),
  ]);
  // The local clock tells the time and how far it was moved at once.
  const now = clock?.now ?? (await deps.now());
  const mode = modeOf(outputs);
  const [switches, gate, queues, schedules, parked, open, pending, recent] = await Promise.all([
    listSwitches(ledger, now),
    readGate(ledger, now),
    readQueues(outputs, deps),
    deps.stage.schedules().then(findAll),
    listParked(ledger),
    readOpen(ledger, mode === 'act' ? undefined : acting),
    listPending(ledger),
    readRecentOutcomes(ledger),
  ]);
  const uploadsQueue = queues.find(({ name }) => name === queueNames.UploadsQueueUrl);
  const inQueue = uploadsQueue === undefined ? 0 : uploadsQueue.waiting + uploadsQueue.inFlight + uploadsQueue.delayed;
  const [inFlight, atGate, silent, supplies] = await Promise.all([
    readInFlight(open, { acting, schedules, now }),
    uploadsAtGate(gate, inQueue, deps),
    readSilent({ switches, schedules, now }, deps),
    suppliesPart(async () => readSupplies(schedules, now, deps)),
  ]);
  const status: StageStatus = {
    mode,
    stage: deps.target.stage,
    now: now.toISOString(),
    version: outputs[versionOutput],
    clock: clock === undefined || clock.offsetMs === 0 ? undefined : { offsetMs: clock.offsetMs },
    switches: switches.map((row) => toSwitchReport(row)),
    gate,
    queues,
    schedules: scheduleStatuses(schedules, now),
    silent: silent.length === 0 ? undefined : silent,
    ids: supplies?.bindings,
    parked: entriesOf(parked),
    inFlight,
    pending: [...pending, ...atGate],
    recent,
  };
  return { status, supplies };
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

/** @param acting - if the stage observes: what was started for real before goes on */
async function readOpen(ledger: Ledger, acting: Ledger | undefined): Promise<Open> {
  const states = ['IN_FLIGHT', 'DEFERRED', 'SETTLING'] as const;
  const [runs, real, ...pages] = await Promise.all([
    readRunsInFlight(ledger),
    acting === undefined ? [] : readRunsInFlight(acting),
    ...states.map(async (state) => ledger.listOpen(state)),
  ]);
  return { runs: [...real, ...runs], work: pages.flatMap(({ items }) => items).filter((row) => !isListedPending(row)) };
}

/** What is known beside the rows. */
interface Beside {
  /** Only a stage that acts looks for the signs of its starts. */
  readonly acting: Ledger;
  readonly schedules: readonly DeployedSchedule[];
  readonly now: Date;
}

async function readInFlight({ runs, work }: Open, beside: Beside): Promise<StageStatus['inFlight']> {
  return [
    ...(await Promise.all(runs.map(async (run) => runInFlight(run, beside)))),
    ...work.map((row) => ({
      kind: row.kind,
      subject: `${subjectOfOpen(row)}${observedWords(row)}`,
      isObserved: row.isObserved,
      ...(row.kind === 'command' && { commandId: row.id }),
      since: row.openSince ?? '',
      ...deferredFacts(row),
    })),
  ];
}

async function runInFlight(run: RunInFlight, { acting, schedules, now }: Beside): Promise<StatusInFlight> {
  const { entry, row } = run;
  const known = await acting.read<ConfirmationRow>(ledgerKeys.confirmation(entry.campaignRunId));
  const confirm = known && confirmState(known);
  const shown = known?.startId === entry.startId ? known.shown : undefined;
  const name = await acting.read<RunRow>(ledgerKeys.run(entry.run));
  const usually = usualMs(name);
  const remark = confirm === 'missing' ? ', its start is not confirmed' : shown ? `, ${readingSays(shown)}` : '';
  return {
    kind: 'run',
    subject: `${runTitle(entry)}${observedWords(row)}${remark}`,
    isObserved: row.isObserved,
    campaignRunId: entry.campaignRunId,
    since: entry.due,
    stopDueAt: stopDueAt(entry),
    lastRunElsewhere: known?.lastRun,
    expectedEnd: usually === undefined ? undefined : new Date(Date.parse(entry.due) + usually).toISOString(),
    ...firstStop(run, schedules, now),
    ...standingOf(entry, now),
    ...runFacts(run, confirm, now),
  };
}

function observedWords({ isObserved }: LedgerRow): string {
  return isObserved === true ? ', observed only' : '';
}

/** Whether its campaign has shown a start. */
export function confirmState({ confirmed, missingSince }: ConfirmationRow): ConfirmState {
  if (confirmed !== undefined) return 'confirmed';
  return missingSince === undefined ? 'awaited' : 'missing';
}

function subjectOfOpen(row: Stored): string {
  switch (row.kind) {
    case 'upload':
      return row.key;
    case 'command': {
      const why = row.deferred === undefined ? '' : `, deferred by the blackout ${row.deferred.blackout}`;
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
