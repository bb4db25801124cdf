/** What the rows know of one start of a run, and the reader of it for all starts of a screen. */
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { rowAt } from '#shared/ledger/ledger.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRead } from '#shared/ledger/rows/run-reading.ts';
import type { IdEnd, IdRow } from '#shared/ledger/rows/run-row.ts';
import type { InFlight, TargetRow } from '#shared/ledger/rows/target-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';

/** The rows about one start. */
export interface RunRows {
  readonly start: CommandRow;
  /** Absent: it is not in flight. */
  readonly entry?: InFlight | undefined;
  /** How its run ended, or how the last stop of it went. */
  readonly end?: IdEnd | undefined;
  /** What its campaign and the gateway have shown of it. */
  readonly noted?: ConfirmationRow | undefined;
  /** The stop of `end`, or the one that is under way. */
  readonly stop?: CommandRow | undefined;
}

type Reads = Pick<Ledger, 'readMany'>;
type Rows = ReadonlyMap<string, Stored | undefined>;

/** Reads the facts of these starts: two batches of keys for all of them. */
export async function readRunRows(starts: readonly CommandRow[], ledger: Reads): Promise<readonly RunRows[]> {
  const rows = await ledger.readMany(starts.flatMap(keysOf));
  const found = starts.map((start) => ({ start, ...besideOf(start, rows) }));
  const stops = await ledger.readMany(found.flatMap((facts) => stopKey(facts) ?? []));
  return found.map((facts) => ({ ...facts, stop: rowAt<CommandRow>(stops, stopKey(facts)) }));
}

/** Reads the facts of the starts with these ids, in their order; one that is not kept any more is left out. */
export async function readRowsOf(startIds: readonly string[], ledger: Reads): Promise<readonly RunRows[]> {
  const rows = await ledger.readMany(startIds.map((id) => ledgerKeys.command(id)));
  const starts = startIds.flatMap((id) => rowAt<CommandRow>(rows, ledgerKeys.command(id)) ?? []);
  return readRunRows(starts, ledger);
}

/** The starts that commands are about: a stop is about those of the runs that it has ended. */
export async function startsOf(commands: readonly CommandRow[], ledger: Reads): Promise<readonly string[]> {
  const known = commands.flatMap(({ id, command }) => (command.action === 'start' ? [id] : (command.startId ?? [])));
  const stops = commands.filter(({ command }) => command.action === 'stop' && command.startId === undefined);
  const keys = stops.flatMap((row) => Object.keys(row.stops ?? {}).map((id) => ledgerKeys.runId(id)));
  const ids = await ledger.readMany(keys);
  return [...known, ...keys.flatMap((key) => rowAt<IdRow>(ids, key)?.startId ?? [])];
}

/** The id that a command was about, once known, or the one that it was given. */
export function runIdOf({ campaignRunId, command }: CommandRow): string | undefined {
  return campaignRunId ?? command.campaignRunId;
}

function keysOf(start: CommandRow): readonly string[] {
  const { target } = start;
  const id = runIdOf(start);
  return [
    ...(id === undefined ? [] : [ledgerKeys.runId(id), ledgerKeys.confirmation(id)]),
    ...(target === undefined ? [] : [ledgerKeys.target(target)]),
  ];
}

function besideOf(start: CommandRow, rows: Rows): Omit<RunRows, 'start' | 'stop'> {
  const id = runIdOf(start) ?? '';
  const used = rowAt<IdRow>(rows, ledgerKeys.runId(id));
  const noted = rowAt<ConfirmationRow>(rows, ledgerKeys.confirmation(id));
  const target = rowAt<TargetRow>(rows, ledgerKeys.target(start.target ?? ''));
  return {
    entry: target?.runs.find(({ startId }) => startId === start.id),
    end: used?.startId === start.id ? used.end : undefined,
    noted: noted?.startId === start.id ? noted : undefined,
  };
}

function stopKey({ start, entry, end }: RunRows): string | undefined {
  const planned = entry?.plansStop === true ? commandIds.plannedStop(start.id) : undefined;
  const by = entry?.orderedBy ?? end?.by ?? planned;
  return by === undefined ? undefined : ledgerKeys.command(by);
}

/** The run as the gateway showed it last. */
export function lastReading({ start, noted }: RunRows): RunRead | undefined {
  const [older, newer] = [start.shown, noted?.shown].toSorted((a, b) => (a?.at ?? '').localeCompare(b?.at ?? ''));
  return newer ?? older;
}
