import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type EndedCommand, readHistory, runIdOf, type ShownEnd, shownEnd } from '../history/history.ts';
import { endByStop, type HistoryEntry, toHistoryEntry, lateAfterMs } from '../history/history-entry.ts';
import { confirmState } from '../status/stage-status.ts';
import type { FoundStart } from './find-start.ts';

/** How a run that was started ended, as far as the ledger knows. */
export type RunEnd =
  | {
      readonly kind: 'stopped';
      readonly at: string;
      readonly commandId: string;
      readonly command: HistoryEntry;
      /** Milliseconds after it was asked for, or due, if they are more than a stop takes. */
      readonly lateMs?: number;
      /** The stop found it over: it ended by itself, or by an earlier stop. */
      readonly foundEnded?: true;
    }
  /** Nothing has stopped it; `countsUntil`: from then on no start is held back by it; `overdueMs`: so long ago its stop was due. */
  | { readonly kind: 'in-flight'; readonly countsUntil: string; readonly overdueMs?: number }
  /** `countedUntil`: until then it counted as in flight. `ended`: how the gateway says that it ended. */
  | { readonly kind: 'no-stop'; readonly countedUntil?: string; readonly ended?: ShownEnd };

/** Whether the campaign has shown the start. */
export interface Confirmation {
  readonly state: 'confirmed' | 'missing' | 'awaited' | 'not-applicable' | 'none';
  /** The field of the campaign that shows it. */
  readonly by?: 'lastRun' | 'lastRunAt' | 'run';
  /** When the sign was seen, or when it was reported as missing. */
  readonly at?: string;
  /** It was reported as missing first. */
  readonly missingSince?: string;
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
  const noted = await readNoted(start, ledger);
  const end = endBy(start, later) ?? openEnd(start, await shownEnd(start.command, ledger), now);
  const endAt = 'at' in end ? end.at : undefined;
  return {
    end,
    confirmation: confirmationOf(noted),
    between: later
      .map(({ row, run }) => toHistoryEntry(row, run))
      .filter(({ at, id }) => endAt === undefined || (at <= endAt && !('commandId' in end && end.commandId === id))),
  };
}

async function commandsSince({ command }: FoundStart, ledger: Ledger): Promise<readonly EndedCommand[]> {
  const campaignRunId = runIdOf(command);
  if (campaignRunId === undefined) return [];
  const found: EndedCommand[] = [];
  const since = new Date(sentSince(command));
  for await (const ended of readHistory(ledger, { run: { campaignRunId }, since })) {
    if (ended.row.id !== command.id) found.unshift(ended);
  }
  return found;
}

/** When a start was made. The outcome of a start that may have run is written long after its request left. */
function sentSince({ outcome, command }: CommandRow): string {
  return outcome?.kind === 'applied' ? outcome.at : command.issuedAt;
}

function endBy({ command }: FoundStart, later: readonly EndedCommand[]): RunEnd | undefined {
  for (const { row, run } of later) {
    const end = endByStop(row, command);
    if (end === undefined) continue;
    const stop = { at: end.endedAt, commandId: row.id, command: toHistoryEntry(row, run) };
    const isFound = end.endedBy.kind === 'stop' && end.endedBy.foundEnded;
    return isFound === true ? { kind: 'stopped', ...stop, foundEnded: true } : stopped(stop, command);
  }
  return undefined;
}

function stopped(
  stop: { readonly at: string; readonly commandId: string; readonly command: HistoryEntry },
  { facts }: CommandRow,
): RunEnd {
  const afterDueMs = facts?.plansStop === true ? Date.parse(stop.at) - Date.parse(facts.endsAt) : 0;
  const afterAskedMs = stop.command.lateMs === undefined ? 0 : Date.parse(stop.at) - Date.parse(stop.command.askedAt);
  const lateMs = Math.max(afterAskedMs, afterDueMs);
  return { kind: 'stopped', ...stop, ...(lateMs < lateAfterMs ? {} : { lateMs }) };
}

function openEnd({ entry, command: { facts } }: FoundStart, shown: ShownEnd | undefined, now: Date): RunEnd {
  if (entry === undefined && shown !== undefined) return { kind: 'no-stop', ended: shown };
  if (entry === undefined) {
    const isOver = facts !== undefined && Date.parse(facts.endsAt) <= now.getTime();
    return { kind: 'no-stop', ...(isOver && { countedUntil: facts.endsAt }) };
  }
  const { plansStop, endsAt } = entry;
  const overdueMs = plansStop ? now.getTime() - Date.parse(endsAt) : 0;
  return { kind: 'in-flight', countsUntil: endsAt, ...(overdueMs < lateAfterMs ? {} : { overdueMs }) };
}

async function readNoted({ command }: FoundStart, ledger: Ledger): Promise<ConfirmationRow | undefined> {
  const campaignRunId = runIdOf(command);
  if (campaignRunId === undefined) return undefined;
  const known = await ledger.read<ConfirmationRow>(ledgerKeys.confirmation(campaignRunId));
  return known?.startId === command.id ? known : undefined;
}

function confirmationOf(known: ConfirmationRow | undefined): Confirmation {
  if (known === undefined) return { state: 'none' };
  const { confirmed, missingSince } = known;
  return { state: confirmState(known), by: confirmed?.by, at: confirmed?.at ?? missingSince, missingSince };
}
