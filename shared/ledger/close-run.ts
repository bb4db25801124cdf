/**
 * Closes a run without a stop: its `until` has passed and no stop is planned, or a person dismissed its planned stop. Pure; the caller writes the
 * changes by `ledger.writeAll`, and reads again if the rows changed concurrently.
 */
import { maxAheadMs } from '../messages/campaign-run-command.ts';
import type { LedgerRow, LedgerRowBase } from './rows/ledger-row.ts';
import { isObserved, ledgerKeys, observedPrefix } from './rows/row-keys.ts';
import type { Ledger, RowChange, Stored } from './ledger.ts';
import type { CommandRow } from './rows/command-row.ts';
import { freed, type GuardRow, type Reservation } from './rows/guard-row.ts';
import { type RunIdPoolRow, withoutLive } from './rows/run-id-pool-row.ts';
import {
  afterLease,
  identityOf,
  type Idle,
  plansStop,
  plusMs,
  type Running,
  type RunRow,
  runRowOf,
  type RunState,
  type SentStart,
  type Stopping,
  type StopUnknown,
  startOf,
  type StartUnknown,
  stateOf,
} from './rows/run-row.ts';
import type { ParkableRow } from './rows/message-row.ts';

/** The rows that closing a run reads and changes. */
export interface RowsToClose {
  readonly run: Stored<RunRow>;
  /** The guard row that its start names: `start.guardName`. */
  readonly guard?: Stored<GuardRow>;
  /** The run id pool of its configured name. */
  readonly pool?: Stored<RunIdPoolRow>;
  /** The command row of its start. */
  readonly start?: Stored<CommandRow>;
  /** A person dismissed this planned stop: `plannedBy` of its command. */
  readonly dismissed?: { readonly startId: string; readonly at: string };
}

/** Keys of the rows that {@link closeRun} needs beside the run's own. */
export function keysToClose(run: RunRow): readonly string[] {
  const start = startOf(run);
  return [
    ...(start === undefined ? [] : [ledgerKeys.guard(start.guardName), ledgerKeys.command(start.startId)]),
    ...(run.run === undefined ? [] : [ledgerKeys.runIdPool(run.run)]),
  ];
}

/** The rows to close a run by, among those that were read by {@link keysToClose}. */
export function rowsToClose(run: Stored<RunRow>, found: ReadonlyMap<string, Stored>): RowsToClose {
  const rows = [...found.values()];
  return {
    run,
    guard: rows.find((one): one is Stored<GuardRow> => one.kind === 'guard'),
    pool: rows.find((one): one is Stored<RunIdPoolRow> => one.kind === 'run-id-pool'),
    start: rows.find((one): one is Stored<CommandRow> => one.kind === 'command'),
  };
}

/**
 * The changes that close a run: its row is idle, its reservation ends, its id is live no more. A start without an outcome is never closed. If a
 * dismissed stop belongs to such a start, the stop is taken off the row; the row closes once it may.
 * @returns `undefined` if nothing changes
 */
export function closeRun(rows: RowsToClose, now: Date): readonly RowChange[] | undefined {
  const state = afterLease(stateOf(rows.run), now);
  if ('stop' in state) return disarmedBefore(rows, state);
  if (state.state !== 'running' && state.state !== 'start-unknown') return undefined;
  const isDismissed = rows.dismissed !== undefined && plansStop(state.start, rows.dismissed);
  if (state.start.plannedStop !== undefined && !isDismissed) return undefined;
  if (!isDismissed && Date.parse(state.start.until) > now.getTime()) return undefined;
  if (state.state === 'running' || maySettle(state, rows.start, now)) return closed(rows, state, now);
  return isDismissed ? disarmed(rows, { ...state, start: withoutStop(state.start) }, state.start) : undefined;
}

/** If the stop under way is refused, the state before it is back: without the planned stop that was dismissed. */
function disarmedBefore(rows: RowsToClose, state: Stopping | StopUnknown): readonly RowChange[] | undefined {
  const { before } = state;
  if (before.state === 'idle' || rows.dismissed === undefined) return undefined;
  const { start } = before;
  if (!plansStop(start, rows.dismissed)) return undefined;
  return disarmed(rows, { ...state, before: { ...before, start: withoutStop(start) } }, start);
}

function withoutStop(start: SentStart): SentStart {
  return { ...start, plannedStop: undefined };
}

/** Its start has an outcome, and its request can land no more. */
function maySettle({ landsUntil }: StartUnknown, start: CommandRow | undefined, now: Date): boolean {
  return start?.outcome !== undefined && Date.parse(landsUntil) + maxAheadMs <= now.getTime();
}

function closed(rows: RowsToClose, state: Running | StartUnknown, now: Date): readonly RowChange[] {
  const { run, guard, pool } = rows;
  const { campaignRunId } = run;
  const { startId } = state.start;
  // An earlier request of a start that was read back may still land: no start is sent before it cannot.
  const landedAt = state.landsUntil === undefined ? undefined : plusMs(state.landsUntil, maxAheadMs);
  const noStartBefore = Date.parse(landedAt ?? '') > now.getTime() ? landedAt : undefined;
  const idle: Idle = { state: 'idle', noStartBefore };
  return [
    changed<RunRow>(run, runRowOf(identityOf(run), idle)),
    ...(guard === undefined
      ? []
      : [changed<GuardRow>(guard, freed(guard, { campaignRunId, startId, at: now.toISOString() }))]),
    ...(pool?.live.includes(campaignRunId) === true
      ? [changed<RunIdPoolRow>(pool, withoutLive(pool, campaignRunId))]
      : []),
  ];
}

function disarmed({ run, guard }: RowsToClose, next: RunState, { startId }: SentStart): readonly RowChange[] {
  const isOwn = (one: Reservation) => one.campaignRunId === run.campaignRunId && one.startId === startId;
  const unplanned = (one: Reservation): Reservation => (isOwn(one) ? { ...one, plannedStopAt: undefined } : one);
  return [
    changed<RunRow>(run, runRowOf(identityOf(run), next)),
    ...(guard === undefined
      ? []
      : [changed<GuardRow>(guard, { ...guard, reservations: guard.reservations.map(unplanned) })]),
  ];
}

function changed<Row extends LedgerRowBase & RowChange['after']>(before: Stored<Row>, after: Row): RowChange {
  return { before, after };
}

/**
 * The changes of a planned stop's dismissal. The row of its run closes, if it still has the start
 * that planned the stop. Without them an overdue stop that a person dealt with would ring for ever.
 * To be written together with the dismissal.
 * @returns no changes for every other row
 */
export async function closingsOf(
  row: ParkableRow,
  now: Date,
  ledger: Pick<Ledger, 'read' | 'readMany'>,
): Promise<readonly RowChange[]> {
  if (row.kind !== 'command') return [];
  const { plannedBy, campaignRunId = row.campaignRunId } = row.command;
  if (plannedBy === undefined || campaignRunId === undefined) return [];
  const prefix = isObserved(row) ? observedPrefix : '';
  const run = await ledger.read<RunRow>(`${prefix}${ledgerKeys.run(campaignRunId)}`);
  if (run === undefined) return [];
  const found = await ledger.readMany(keysToClose(run).map((key) => `${prefix}${key}`));
  const closing = closeRun({ ...rowsToClose(run, found), dismissed: plannedBy }, now);
  // The key of an observed row keeps its prefix.
  return (closing ?? []).map(({ before, after }) => ({ before, after: withKey(after, before?.pk ?? after.pk) }));
}

function withKey<Row extends LedgerRow>(row: Row, pk: string): Row {
  return { ...row, pk };
}
