import type { Ledger } from '#shared/ledger/ledger.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { hasEnded, type RunRead } from '#shared/ledger/rows/run-reading.ts';
import { isEnd } from '#shared/ledger/rows/run-row.ts';
import { readHistory } from '../history/history.ts';
import { type HistoryEntry, toHistoryEntry, lateAfterMs } from '../history/history-entry.ts';
import { type RunReport, runReport } from '../run-state/run-report.ts';
import { idOfStart, lastReading, type RunRows } from '../run-state/run-rows.ts';
import { runState, type RunState } from '../run-state/run-state.ts';
import { runStory, type StepOfRun } from '../run-state/run-story.ts';
import type { ZonedClock } from '../times/typed-times.ts';

/** How a run that was started ended, as far as the ledger knows. */
export type CourseEnd =
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
  | { readonly kind: 'no-stop'; readonly countedUntil?: string; readonly ended?: RunRead };

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
export interface RunCourse extends Pick<RunState, 'begun'> {
  readonly stands: RunReport;
  readonly steps: readonly StepOfRun[];
  readonly end: CourseEnd;
  readonly confirmation: Confirmation;
  /** Commands about the run between its start and its end, oldest first. */
  readonly between: readonly HistoryEntry[];
}

/** Tells a run that was started, and reads the commands about it beside that. */
export async function readRunCourse(rows: RunRows, clock: ZonedClock, ledger: Ledger): Promise<RunCourse> {
  const stands = runReport(rows, clock);
  return {
    stands,
    begun: runState(rows, clock).begun,
    steps: runStory(rows, clock),
    end: endOf(rows, clock.now),
    confirmation: confirmationOf(rows),
    between: await commandsBetween(rows, stands.endedAt, ledger),
  };
}

async function commandsBetween(
  { start, end }: RunRows,
  endedAt: string | undefined,
  ledger: Ledger,
): Promise<readonly HistoryEntry[]> {
  const campaignRunId = idOfStart(start);
  if (campaignRunId === undefined) return [];
  const found: HistoryEntry[] = [];
  const since = new Date(sentSince(start));
  for await (const { row, run } of readHistory(ledger, { run: { campaignRunId }, since })) {
    const entry = toHistoryEntry(row, run);
    const isEarlier = endedAt === undefined || entry.at <= endedAt;
    if (row.id !== start.id && row.id !== end?.by && isEarlier) found.unshift(entry);
  }
  return found;
}

/** When a start was made. The outcome of a start that may have run is written long after its request left. */
function sentSince({ outcome, command }: RunRows['start']): string {
  return outcome?.kind === 'applied' ? outcome.at : command.issuedAt;
}

function endOf(rows: RunRows, now: Date): CourseEnd {
  const { entry, start } = rows;
  const stopped = stoppedBy(rows);
  if (stopped !== undefined) return stopped;
  if (entry !== undefined) {
    const overdueMs = entry.plansStop ? now.getTime() - Date.parse(entry.endsAt) : 0;
    return { kind: 'in-flight', countsUntil: entry.endsAt, ...(overdueMs < lateAfterMs ? {} : { overdueMs }) };
  }
  const shown = lastReading(rows);
  if (shown !== undefined && hasEnded(shown)) return { kind: 'no-stop', ended: shown };
  const countedUntil = start.facts?.endsAt ?? '';
  return { kind: 'no-stop', ...(Date.parse(countedUntil) <= now.getTime() && { countedUntil }) };
}

function stoppedBy({ end, stop, start: { facts } }: RunRows): CourseEnd | undefined {
  if (!isEnd(end) || stop === undefined || end.by !== stop.id) return undefined;
  const made = { kind: 'stopped', at: end.at, commandId: stop.id, command: toHistoryEntry(stop) } as const;
  if (end.how !== 'stopped') return { ...made, foundEnded: true };
  const dueAt = facts?.plansStop === true ? facts.endsAt : end.at;
  const lateMs = Date.parse(end.at) - Math.min(Date.parse(dueAt), Date.parse(stop.command.issuedAt));
  return { ...made, ...(lateMs < lateAfterMs ? {} : { lateMs }) };
}

/** How far the sign of a start is. */
function confirmState({ confirmed, missingSince }: ConfirmationRow): 'awaited' | 'confirmed' | 'missing' {
  if (confirmed !== undefined) return 'confirmed';
  return missingSince === undefined ? 'awaited' : 'missing';
}

function confirmationOf({ noted, start }: RunRows): Confirmation {
  if (noted === undefined) return { state: start.facts?.confirmWithin === undefined ? 'none' : 'awaited' };
  const { confirmed, missingSince } = noted;
  return { state: confirmState(noted), by: confirmed?.by, at: confirmed?.at ?? missingSince, missingSince };
}
