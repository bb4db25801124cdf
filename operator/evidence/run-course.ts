import type { AwaitedConfirmation, ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { isObserved, ledgerKeys, observedPrefix } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RunRow, SentStart } from '#shared/ledger/rows/run-row.ts';
import { runsInFlight } from '#shared/ledger/open-rows.ts';
import { compareCommands } from '#shared/messages/campaign-run-command.ts';
import { type EndedCommand, readHistory, runIdOf } from '../history/history.ts';
import { type HistoryEntry, toHistoryEntry, lateAfterMs } from '../history/history-entry.ts';
import { type FoundStart, heldStart } from './find-start.ts';

/** How a run that was started ended, as far as the ledger knows. */
export type RunEnd =
  | {
      readonly kind: 'stopped';
      readonly at: string;
      readonly commandId: string;
      /** Absent if the stop's own row is not kept any more. */
      readonly command?: HistoryEntry;
      /** Milliseconds after it was asked for, or due, if they are more than a stop takes. */
      readonly lateMs?: number;
    }
  | { readonly kind: 'started-again'; readonly at: string; readonly commandId: string }
  /** Nothing has stopped it; `countsUntil`: from then on no start is held back by it; `overdueMs`: so long ago its stop was due. */
  | { readonly kind: 'in-flight'; readonly countsUntil?: string; readonly overdueMs?: number }
  | { readonly kind: 'no-stop' };

/** Whether the sign of the start was seen at the campaign. */
export interface Confirmation {
  readonly state: 'confirmed' | 'missing' | 'awaited' | 'not-applicable' | 'none';
  readonly by?: 'runCount' | 'lastRunAt';
  readonly before?: number | string;
  readonly reads?: number | string;
  /** When the sign was seen, or when it was reported as missing. */
  readonly at?: string;
  /** It was reported as missing first. */
  readonly missingSince?: string;
  readonly until?: string;
}

/** What the ledger tells of a run since one of its starts. */
export interface RunCourse {
  readonly end: RunEnd;
  readonly confirmation: Confirmation;
  /** Commands about the run between its start and its end, oldest first. */
  readonly between: readonly HistoryEntry[];
}

/** Reads what became of a run that was started. */
export async function readRunCourse(start: FoundStart, now: Date, ledger: Ledger): Promise<RunCourse> {
  const later = await commandsSince(start, ledger);
  const end = (await endBy(start, later, ledger)) ?? openEnd(start, now);
  const endAt = 'at' in end ? end.at : undefined;
  return {
    end,
    confirmation: await readConfirmation(start, ledger),
    between: later
      .map(({ row, run }) => toHistoryEntry(row, run))
      .filter(({ at, id }) => endAt === undefined || (at <= endAt && !('commandId' in end && end.commandId === id))),
  };
}

/** Commands about this run that ended after the start, oldest first. */
async function commandsSince({ command }: FoundStart, ledger: Ledger): Promise<readonly EndedCommand[]> {
  const campaignRunId = runIdOf(command);
  if (campaignRunId === undefined) return [];
  const found: EndedCommand[] = [];
  const since = new Date(sentSince(command));
  for await (const ended of readHistory(ledger, { run: { campaignRunId }, since })) {
    if (ended.row.id !== command.id && isObserved(ended.row) === isObserved(command)) found.unshift(ended);
  }
  return found;
}

/** When a start was made. The outcome of a start that may have run is written long after its request left. */
function sentSince({ outcome, command }: CommandRow): string {
  return outcome?.kind === 'applied' ? outcome.at : command.issuedAt;
}

/** The first stop, or the next start, that was made after it; a stop that was asked for before it ended another run. */
async function endBy(start: FoundStart, later: readonly EndedCommand[], ledger: Ledger): Promise<RunEnd | undefined> {
  const made = later.find(
    ({ row: { outcome, command } }) =>
      outcome?.kind === 'applied' && command.action !== 'update' && compareCommands(command, start.command.command) > 0,
  );
  if (made === undefined) return endByRow(start, ledger);
  const entry = toHistoryEntry(made.row, made.run);
  const { at, id: commandId } = entry;
  return made.row.command.action === 'start'
    ? { kind: 'started-again', at, commandId }
    : stopped({ at: stoppedAt(start, entry), commandId, command: entry }, start.command);
}

/**
 * A stop that went out once more, because its start could still begin, has held since the first
 * time. The row of the run says since when.
 */
function stoppedAt({ row }: FoundStart, { at, id }: HistoryEntry): string {
  const stop = stopOf(row);
  return stop?.id === id ? stop.at : at;
}

/** The last stop that the gateway accepted, as the row of the run knows it; one that goes out once more later is accepted already. */
function stopOf(row: RunRow | undefined): { readonly id: string; readonly at: string } | undefined {
  if (row?.state === 'idle') return row.stopped;
  if (row?.state !== 'stopping' && row?.state !== 'stop-unknown') return undefined;
  return row.appliedAt === undefined ? undefined : { id: row.stop.id, at: row.appliedAt };
}

/** A stop by name that ended several runs is on record under one of them; the run's own row knows it too. */
async function endByRow({ command, row }: FoundStart, ledger: Ledger): Promise<RunEnd | undefined> {
  const stop = stopOf(row);
  if (stop === undefined) return undefined;
  const { id: commandId, at } = stop;
  if (Date.parse(at) < Date.parse(sentSince(command))) return undefined;
  const prefix = isObserved(command) ? observedPrefix : '';
  const own = await ledger.read<CommandRow>(`${prefix}${ledgerKeys.command(commandId)}`);
  return stopped({ at, commandId, command: own === undefined ? undefined : toHistoryEntry(own) }, command);
}

function stopped(
  stop: { readonly at: string; readonly commandId: string; readonly command: HistoryEntry | undefined },
  { facts }: CommandRow,
): RunEnd {
  const dueAt = facts?.stopDueAt;
  const afterDueMs = dueAt === undefined ? 0 : Date.parse(stop.at) - Date.parse(dueAt);
  const afterAskedMs = stop.command?.lateMs === undefined ? 0 : Date.parse(stop.at) - Date.parse(stop.command.askedAt);
  const lateMs = Math.max(afterAskedMs, afterDueMs);
  return { kind: 'stopped', ...stop, ...(lateMs < lateAfterMs ? {} : { lateMs }) };
}

function openEnd({ command, row }: FoundStart, now: Date): RunEnd {
  const run = row === undefined ? undefined : runsInFlight([row], now)[0];
  if (run?.start.startId !== command.id) return { kind: 'no-stop' };
  const { plannedStop, until } = run.start;
  const overdueMs = plannedStop === undefined ? 0 : now.getTime() - Date.parse(plannedStop.at);
  return {
    kind: 'in-flight',
    countsUntil: until,
    ...(overdueMs < lateAfterMs ? {} : { overdueMs }),
  };
}

async function readConfirmation({ command, row }: FoundStart, ledger: Ledger): Promise<Confirmation> {
  const campaignRunId = runIdOf(command);
  if (campaignRunId === undefined) return { state: 'none' };
  const known = await ledger.read<ConfirmationRow>(ledgerKeys.confirmation({ campaignRunId, commandId: command.id }));
  const awaited = known?.awaited ?? awaitedSign(heldStart(row, command.id));
  if (awaited === undefined) return { state: 'none' };
  const { by, before, until } = awaited;
  const sign = { by, until, before };
  const { confirmed, missingSince } = known ?? {};
  const missed = missingSince === undefined ? {} : { missingSince };
  if (confirmed !== undefined) return { state: 'confirmed', ...sign, ...confirmed, ...missed };
  return missingSince === undefined ? { state: 'awaited', ...sign } : { state: 'missing', ...sign, at: missingSince };
}

/** The sign as the start keeps it, until the watcher's own row knows it. */
function awaitedSign(start: SentStart | undefined): Pick<AwaitedConfirmation, 'by' | 'before' | 'until'> | undefined {
  if (start?.confirm === undefined) return undefined;
  const { by, until } = start.confirm;
  return { by, until, before: start.reading?.[by] };
}
