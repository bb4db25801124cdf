import { readGate } from '../stage/gate-status.ts';
import { type DeployedSchedule, findAll } from '#shared/aws/schedules.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { type RunEndsRow, usualMs } from '#shared/ledger/results/run-ends-row.ts';
import { readRecentOutcomes, type RecentOutcome } from '#shared/ledger/recent-outcomes.ts';
import { dayMs } from '#shared/schedule/duration.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { listOpenOfKind, readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { isOnAt } from '#shared/ledger/switches.ts';
import { modeOf, type StageOutputs, versionOutput } from '#shared/vocabulary/stack-outputs.ts';
import type { ReadStatus, StageStatus, StatusInFlight } from './status.ts';
import type { ClockReading } from '../stage/local-stage.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { scheduleStatuses } from './schedule-status.ts';
import type { FindingRow } from '#shared/ledger/results/finding-row.ts';
import { type FoundReport, readFindings } from '../parked/findings.ts';
import { entriesOf, listWaiting } from '../parked/parked-rows.ts';
import { heldByGate, isListedPending, listPending } from '../outcomes/pending-work.ts';
import { readSupplies, type Supplies } from '../plan/ids-left.ts';
import { readRunReports, type RunReport } from '../run-state/run-report.ts';
import { runTitle } from '../runs/runs-in-flight.ts';
import { alarmReports } from '../switches/alarm-holds.ts';
import { campaignOfRun, firstStop, readConfigured, silentSchedules } from './run-facts.ts';
import { readStageRuns } from './stage-runs.ts';
import { uploadsAtGate } from '../uploads/list-uploads.ts';
import { toSwitchReport } from '../switches/switches.ts';

const queueNames = {
  CommandsQueueUrl: 'commands',
  CommandsDeadLetterQueueUrl: 'commands, dead letters',
  UploadsQueueUrl: 'uploads',
  UploadsDeadLetterQueueUrl: 'uploads, dead letters',
  SchedulesDeadLetterQueueUrl: 'schedules, dead letters',
} as const satisfies Partial<Record<keyof StageOutputs, string>>;

/** Reads the one part that asks a function of the stage, and answers `undefined`, or why not, if it fails. */
export type SuppliesPart = (read: () => Promise<Supplies>) => Promise<Supplies | string | undefined>;

/** Reads a stage before it is judged, everything at once: each part is one or a few calls. The local clock tells the time and how far it was moved. */
export async function readStatus(deps: OperatorDeps, suppliesPart: SuppliesPart): Promise<ReadStatus> {
  const reading = await begin(deps);
  const { outputs, ledger, acting, clock, mode } = reading;
  const { now } = clock;
  const [switchRows, gate, queues, schedules, waiting, open, pending, recent, reconciled] = await Promise.all([
    listOpenOfKind(ledger, 'SWITCHED', 'switch'),
    readGate(ledger, now),
    readQueues(outputs, deps),
    deps.stage.schedules().then(findAll),
    readWaiting(ledger),
    readOpen(reading),
    listPending(ledger),
    readRecentOutcomes(ledger),
    ledger.read<ReconcileRow>(ledgerKeys.reconcile()),
  ]);
  const switches = switchRows.filter((row) => isOnAt(row, now));
  const [findings, inFlight, runs, atGate, configured, supplies] = await Promise.all([
    readFindings(waiting.found, ledger, clock),
    readInFlight(open, { acting, schedules, now }),
    readRuns(open, { pending, ...waiting }, reading),
    uploadsAtGate(gate, uploadsWaiting(queues), deps),
    readConfigured(reconciled, switchRows, deps),
    suppliesPart(async () => readSupplies(schedules, now, deps)),
  ]);
  const campaignOf = campaignOfRun(configured);
  return {
    mode,
    stage: deps.target.stage,
    now: now.toISOString(),
    version: outputs[versionOutput],
    clock: movedClock(reading.local),
    switches: switches.map((row) => toSwitchReport(row)),
    alarms: alarmReports(switchRows, configured),
    gate,
    queues,
    schedules: scheduleStatuses(schedules, now, { switches, campaignOf }),
    silent: silentSchedules(reconciled, { schedules, now, campaignOf }),
    ...toldOf(supplies),
    parked: waiting.parked,
    findings,
    inFlight: inFlight.map((one) => begunAt(one, runs)),
    runs: runs.map((run) => withFindings(run, findings)),
    pending: [...pending.map((one) => heldByGate(one, gate)), ...atGate],
    recent: recentReports(recent, waiting.parked),
  };
}

/** What every part is read with. */
type Reading = Awaited<ReturnType<typeof begin>>;

async function begin(deps: OperatorDeps) {
  const [local, outputs, ledger, acting] = await Promise.all([
    deps.localClock?.read(),
    deps.stage.outputs(),
    deps.stage.ledger(),
    deps.stage.acting(),
  ]);
  const clock = { now: local?.now ?? (await deps.now()), zone: deps.zone ?? outputs.Timezone };
  return { outputs, ledger, acting, local, clock, mode: modeOf(outputs) };
}

async function readWaiting(ledger: Ledger) {
  const { parked, findings: found } = await listWaiting(ledger);
  return { parked: entriesOf(parked), found };
}

/** A long subject keeps its end. */
function recentReports(outcomes: readonly RecentOutcome[], parked: ReadStatus['parked']): ReadStatus['recent'] {
  const isParked = (subject: string) => parked.some((row) => row.subject.endsWith(subject.replace('…', '')));
  return outcomes.map((one) => (one.kind === 'parked' && !isParked(one.subject) ? { ...one, isDecided: true } : one));
}

function toldOf(supplies: Supplies | string | undefined): Partial<ReadStatus> {
  if (typeof supplies !== 'object') return { idsUnread: supplies };
  const { bindings: ids, budgets, runReadings, calendars } = supplies;
  return { ids, budgets, runReadings, calendars };
}

function movedClock(clock: ClockReading | undefined): StageStatus['clock'] {
  return clock === undefined || clock.offsetMs === 0 ? undefined : { offsetMs: clock.offsetMs };
}

function uploadsWaiting(queues: StageStatus['queues']): number {
  const queue = queues.find(({ name }) => name === queueNames.UploadsQueueUrl);
  return queue === undefined ? 0 : queue.waiting + queue.inFlight + queue.delayed;
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

/** If the stage observes, what was started for real before goes on. */
async function readOpen({ ledger, acting, mode }: Reading): Promise<Open> {
  const states = ['IN_FLIGHT', 'DEFERRED', 'SETTLING'] as const;
  const [runs, real, ...pages] = await Promise.all([
    readRunsInFlight(ledger),
    mode === 'act' ? [] : readRunsInFlight(acting),
    ...states.map(async (state) => ledger.listOpen(state)),
  ]);
  return { runs: [...real, ...runs], work: pages.flatMap(({ items }) => items).filter((row) => !isListedPending(row)) };
}

interface Beside {
  /** Only a stage that acts looks for the signs of its starts. */
  readonly acting: Ledger;
  readonly schedules: readonly DeployedSchedule[];
  readonly now: Date;
}

async function readInFlight(
  { runs, work }: Open,
  { acting, schedules, now }: Beside,
): Promise<StageStatus['inFlight']> {
  const keys = runs.flatMap(({ entry }) => [
    ledgerKeys.confirmation(entry.campaignRunId),
    ledgerKeys.runEnds(entry.run),
  ]);
  const rows = await acting.readMany(keys);
  return [
    ...runs.map((run): StatusInFlight => {
      const { entry, row } = run;
      const { campaignRunId, due, startId, endsAt } = entry;
      const usually = usualMs(rowAt<RunEndsRow>(rows, ledgerKeys.runEnds(entry.run)));
      return {
        kind: 'run',
        subject: `${runTitle(entry)}${observedWords(row)}`,
        isObserved: row.isObserved,
        campaignRunId,
        since: due,
        ...elsewhereOf(rowAt<ConfirmationRow>(rows, ledgerKeys.confirmation(campaignRunId)), due),
        expectedEnd: usually === undefined ? undefined : new Date(Date.parse(due) + usually).toISOString(),
        ...firstStop(run, schedules, now),
        run: entry.run,
        startCommandId: startId,
        inFlightUntil: endsAt,
      };
    }),
    ...work.map((row) => ({
      kind: row.kind,
      subject: `${subjectOfOpen(row)}${observedWords(row)}`,
      isObserved: row.isObserved,
      ...(row.kind === 'command' && { commandId: row.id }),
      since: row.openSince ?? '',
    })),
  ];
}

/** A run that was started elsewhere long before this one is no other attack. */
function elsewhereOf(
  { lastRun, lastRunAt }: Partial<ConfirmationRow> = {},
  due: string,
): Pick<StatusInFlight, 'lastRunElsewhere' | 'lastRunElsewhereAt'> {
  if (lastRunAt !== undefined && Date.parse(due) - Date.parse(lastRunAt) > dayMs) return {};
  return { lastRunElsewhere: lastRun, lastRunElsewhereAt: lastRunAt };
}

/** A run with the findings that need attention. */
function withFindings(run: RunReport, findings: readonly FoundReport[]): RunReport {
  const kinds = findings.filter(({ startId }) => startId === run.startId).map(({ kind }) => kind);
  return kinds.length === 0 ? run : { ...run, findings: kinds };
}

/** A run is in flight since its start, by the request that counts. */
function begunAt(one: StatusInFlight, runs: StageStatus['runs']): StatusInFlight {
  return { ...one, since: runs.find(({ startId }) => startId === one.startCommandId)?.startAt ?? one.since };
}

/** Those of the stage's mode, and in a stage that observes those that go on for real. */
async function readRuns(
  { runs, work }: Open,
  { pending, parked, found }: Pick<StageStatus, 'pending' | 'parked'> & { readonly found: readonly FindingRow[] },
  { ledger, acting, clock, mode }: Reading,
): Promise<StageStatus['runs']> {
  const isReal = mode === 'act';
  const starts = (areReal: boolean) =>
    runs.flatMap(({ row, entry }) => (areReal === (row.isObserved !== true) ? [entry.startId] : []));
  const waiting = [
    ...pending.flatMap((one) => (one.action === 'start' ? [one.id] : [])),
    ...work.flatMap((row) => (row.kind === 'command' ? [row.id] : [])),
    ...parked.flatMap(({ action, subject }) => (action === 'start' ? [subject] : [])),
  ];
  const [own, real] = await Promise.all([
    readStageRuns({ open: [...starts(isReal), ...waiting], found: found.map(({ startId }) => startId) }, ledger, clock),
    isReal ? [] : readRunReports(starts(true), acting, clock),
  ]);
  return [...real, ...own];
}

function observedWords({ isObserved }: LedgerRow): string {
  return isObserved === true ? ', observed only' : '';
}

function subjectOfOpen(row: Stored): string {
  switch (row.kind) {
    case 'upload':
      return row.key;
    case 'command':
      return commandTitle(row.command);
    case 'watch':
      return row.changeSet === undefined ? row.name : `${row.name}, changes that wait until nothing more changes`;
    case 'project-watch':
      return row.name;
    default:
      return row.pk;
  }
}
