import {
  type CommandItem,
  type ConfirmationItem,
  isObserved,
  ledgerKeys,
  observedPrefix,
} from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import { compareGenerations } from '../../shared/messages/campaign-run-command.ts';
import { type EndedCommand, readHistory, runIdOf } from '../history.ts';
import { type HistoryEntry, historyEntry, lateAfterMs } from '../history-entry.ts';
import { type FoundStart, isNewestStart } from './find-start.ts';

/** How a run that was started ended, as far as the ledger knows. */
export type RunEnd =
  | {
      readonly kind: 'stopped';
      readonly at: string;
      readonly commandId: string;
      /** Absent where the stop's own row is not kept any more. */
      readonly command?: HistoryEntry;
      /** Milliseconds after it was asked for, or due, where they are more than a stop takes. */
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
      .map(({ row, run }) => historyEntry(row, run))
      .filter(({ at, id }) => endAt === undefined || (at <= endAt && !('commandId' in end && end.commandId === id))),
  };
}

/** Commands about this run that ended after the start, oldest first. */
async function commandsSince({ command }: FoundStart, ledger: Ledger): Promise<readonly EndedCommand[]> {
  const campaignRunId = runIdOf(command);
  if (campaignRunId === undefined) return [];
  const found: EndedCommand[] = [];
  const { outcome } = command;
  // Of one whose outcome is unknown the outcome was written long after it was sent.
  const since = new Date(outcome?.kind === 'applied' ? outcome.at : command.command.issuedAt);
  for await (const ended of readHistory(ledger, { run: { campaignRunId }, since })) {
    if (ended.row.id !== command.id && isObserved(ended.row) === isObserved(command)) found.unshift(ended);
  }
  return found;
}

/** The first stop, or the next start, that was made after it; a stop that was asked for before it ended another run. */
async function endBy(start: FoundStart, later: readonly EndedCommand[], ledger: Ledger): Promise<RunEnd | undefined> {
  const made = later.find(
    ({ row: { outcome, command } }) =>
      outcome?.kind === 'applied' &&
      command.action !== 'update' &&
      compareGenerations(command, start.command.command) > 0,
  );
  if (made === undefined) return endByRow(start, ledger);
  const entry = historyEntry(made.row, made.run);
  const { at, id: commandId } = entry;
  return made.row.command.action === 'start'
    ? { kind: 'started-again', at, commandId }
    : stopped({ at, commandId, command: entry }, start.command);
}

/** A stop by name that ended several runs is on record under one of them; the run's own row knows it too. */
async function endByRow({ command, row }: FoundStart, ledger: Ledger): Promise<RunEnd | undefined> {
  if (row?.applied?.action !== 'stop' || !isNewestStart(row, command)) return undefined;
  if (compareGenerations(row.applied, command.command) < 0) return undefined;
  const { id: commandId, at } = row.applied;
  const prefix = isObserved(command) ? observedPrefix : '';
  const stop = await ledger.read<CommandItem>(`${prefix}${ledgerKeys.command(commandId)}`);
  return stopped({ at, commandId, ...(stop === undefined ? {} : { command: historyEntry(stop) }) }, command);
}

function stopped(
  stop: { readonly at: string; readonly commandId: string; readonly command?: HistoryEntry },
  { facts }: CommandItem,
): RunEnd {
  const dueAt = facts?.['stopDueAt'];
  const afterDueMs = dueAt === undefined ? 0 : Date.parse(stop.at) - Date.parse(dueAt);
  const lateMs = Math.max(stop.command?.lateMs ?? 0, afterDueMs);
  return { kind: 'stopped', ...stop, ...(lateMs < lateAfterMs ? {} : { lateMs }) };
}

function openEnd({ command, row }: FoundStart, now: Date): RunEnd {
  if (row?.openState !== 'RUN_IN_FLIGHT' || !isNewestStart(row, command)) return { kind: 'no-stop' };
  const overdueMs = row.stopDue === undefined ? 0 : now.getTime() - Date.parse(row.stopDue.at);
  return {
    kind: 'in-flight',
    ...(row.inFlightUntil === undefined ? {} : { countsUntil: row.inFlightUntil }),
    ...(overdueMs < lateAfterMs ? {} : { overdueMs }),
  };
}

async function readConfirmation({ command, row }: FoundStart, ledger: Ledger): Promise<Confirmation> {
  const campaignRunId = runIdOf(command);
  if (campaignRunId === undefined) return { state: 'none' };
  const known = await ledger.read<ConfirmationItem>(ledgerKeys.confirmation({ campaignRunId, commandId: command.id }));
  const awaited = known?.awaited ?? (row?.confirm?.commandId === command.id ? row.confirm : undefined);
  if (awaited === undefined) return { state: 'none' };
  const { by, before, until } = awaited;
  const sign = { by, until, ...(before === undefined ? {} : { before }) };
  const { confirmed, missingSince } = known ?? {};
  const missed = missingSince === undefined ? {} : { missingSince };
  if (confirmed !== undefined) return { state: 'confirmed', ...sign, ...confirmed, ...missed };
  return missingSince === undefined ? { state: 'awaited', ...sign } : { state: 'missing', ...sign, at: missingSince };
}
