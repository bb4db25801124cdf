import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { endOf, plannedStopOf } from '../_runs/decide/own-stops.ts';
import { type DueCommand, lateSendAfterMs, sendAgainAfterMs } from './send-due-commands.ts';

/**
 * The planned stop of a run whose time has come. One that plans none gets it too if its start or its stop has no outcome by then. Pure.
 */
export function dueStopOf(entry: InFlight, now: Date): DueCommand | undefined {
  const { endsAt, plansStop, state, campaignRunId } = entry;
  const lateMs = now.getTime() - Date.parse(endsAt);
  if (lateMs < 0 || (!plansStop && state === 'running')) return undefined;
  const command = plannedStopOf(entry);
  const isLate = lateMs >= lateSendAfterMs;
  const reason = `${command.reason}${isLate ? `, sent ${Math.floor(lateMs / 60_000)} minutes late` : ''}`;
  return { command: { ...command, reason }, lateMs, sentence: `stop of ${campaignRunId} sent: ${reason}` };
}

/** The rows of the commands that an entry waits for. */
export interface RowsOfEntry {
  /** Of its start. */
  readonly start?: CommandRow;
  /** Of its planned stop. */
  readonly planned?: CommandRow;
  /** Of the stop that made it `stopping`. */
  readonly ordering?: CommandRow;
}

/** The command of an entry whose message may be lost: its row is not there, or no worker has touched it for an hour. Pure. */
export function lostCommandOf(entry: InFlight, rows: RowsOfEntry, now: Date): DueCommand | undefined {
  if (entry.state === 'starting') return lostStart(entry, rows, now);
  return entry.state === 'stopping' ? lostStop(entry, rows, now) : undefined;
}

function lostStart({ startId, sentAt }: InFlight, { start }: RowsOfEntry, now: Date): DueCommand | undefined {
  if (start === undefined) return undefined;
  const lateMs = now.getTime() - touchedMs(start, sentAt);
  if (lateMs < sendAgainAfterMs) return undefined;
  const sentence = `start ${startId} sent again: no answer yet, and no worker has tried it for an hour`;
  return { command: start.command, lateMs, sentence };
}

function lostStop(entry: InFlight, { ordering }: RowsOfEntry, now: Date): DueCommand | undefined {
  // Its planned stop is sent each hour anyway.
  if (ordering?.outcome !== undefined || entry.orderedBy === commandIds.plannedStop(entry.startId)) return undefined;
  const lateMs = ordering === undefined ? 0 : now.getTime() - touchedMs(ordering, ordering.command.issuedAt);
  if (ordering !== undefined && lateMs < sendAgainAfterMs) return undefined;
  const reason = ordering === undefined ? 'its stop did not arrive' : 'no worker has tried its stop for an hour';
  return { command: endOf(entry, now, reason), lateMs, sentence: `stop of ${entry.campaignRunId} sent: ${reason}` };
}

/** When a worker was at a command last, or was to be at it; milliseconds since the epoch. */
function touchedMs({ attempt }: CommandRow, since: string): number {
  const instants = [since, attempt?.since, attempt?.nextTryAt, attempt?.until];
  return Math.max(...instants.filter((at) => at !== undefined).map((at) => Date.parse(at)));
}

/**
 * What becomes of an entry whose commands are done with it. One whose stop has its outcome is running again. One that runs past its end counts no
 * more; if it plans a stop, an hour after the outcome of that. Pure.
 * @returns `undefined` if it stays as it is
 */
export function settledEntry(
  { state, endsAt, plansStop }: InFlight,
  { planned, ordering }: RowsOfEntry,
  now: Date,
): 'released' | 'counted-out' | undefined {
  if (state === 'stopping') return ordering?.outcome === undefined ? undefined : 'released';
  if (state !== 'running' || Date.parse(endsAt) > now.getTime()) return undefined;
  if (!plansStop) return 'counted-out';
  const stoppedMs = Date.parse(planned?.outcome?.at ?? '');
  return now.getTime() - stoppedMs >= sendAgainAfterMs ? 'counted-out' : undefined;
}
