import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import { type RunRow, startOf } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { plannedStopOf } from '../_runs/decide/decide-stop.ts';
import { type DueCommand, lateSendAfterMs, sendAgainAfterMs, sendDueCommands } from './send-due-commands.ts';
import { readOpenRuns, runsInFlight } from '#shared/ledger/open-rows.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { SendDeps } from './watched-campaign.ts';

/**
 * The planned stop of a run whose time has come; its start may be in doubt, and another stop may be under way. It is the same command each time, and
 * acts on no other start. Pure.
 */
export function dueStopOf(row: RunRow, now: Date): DueCommand | undefined {
  const { campaignRunId } = row;
  const start = startOf(row);
  const command = start && plannedStopOf(campaignRunId, start);
  if (command === undefined) return undefined;
  const lateMs = now.getTime() - Date.parse(command.issuedAt);
  if (lateMs < 0) return undefined;
  const reason = `${command.reason}${lateMs < lateSendAfterMs ? '' : `, sent ${Math.floor(lateMs / minuteMs)} minutes late`}`;
  return { lateMs, sentence: `stop of ${campaignRunId} sent: ${reason}`, command: { ...command, reason } };
}

const minuteMs = 60_000;

/** A run that has accepted a stop which is not settled. */
type StoppingRow = RunRow & { readonly state: 'stopping' | 'stop-unknown' };

/**
 * Accepted stops and starts in doubt that no worker has tried for an hour. Their messages may be
 * lost, and until such a command is settled its run takes no other.
 */
export async function readLostCommands(
  rows: readonly Stored<RunRow>[],
  now: Date,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<readonly DueCommand[]> {
  return [...(await readLostStops(rows, now, ledger)), ...(await readLostStarts(rows, now, ledger))];
}

async function readLostStarts(
  rows: readonly Stored<RunRow>[],
  now: Date,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<readonly DueCommand[]> {
  const starts = rows.flatMap((row) => (row.state === 'starting' || row.state === 'start-unknown' ? [row.start] : []));
  if (starts.length === 0) return [];
  const found = await ledger.readMany(starts.map(({ startId }) => ledgerKeys.command(startId)));
  return starts.flatMap(({ startId, firstSentAt }) => {
    const own = rowAt<CommandRow>(found, ledgerKeys.command(startId));
    if (own === undefined) return [];
    const { nextTryAt = firstSentAt, until = firstSentAt } = own.attempt ?? {};
    const quietMs = now.getTime() - Math.max(Date.parse(nextTryAt), Date.parse(until));
    if (isTried(quietMs)) return [];
    const sentence = `start ${startId} sent again: it is in doubt, and no worker has tried it for an hour`;
    return [{ command: own.command, lateMs: quietMs, sentence }];
  });
}

async function readLostStops(
  rows: readonly Stored<RunRow>[],
  now: Date,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<readonly DueCommand[]> {
  const stopping = rows.filter((row) => isStopping(row));
  if (stopping.length === 0) return [];
  const found = await ledger.readMany([...new Set(stopping.flatMap(keysOf))]);
  return stopping.flatMap((row) => {
    const own = rowAt<CommandRow>(found, ledgerKeys.command(row.stop.id));
    const pool = rowAt<RunIdPoolRow>(found, ledgerKeys.runIdPool(row.run ?? ''));
    const quietMs = now.getTime() - lastSeenMs(row, own);
    if (isTried(quietMs)) return [];
    const sentence = `stop of ${row.campaignRunId} sent again: no worker has tried it for an hour`;
    return [{ command: own?.command ?? commandOf(row, pool), lateMs: quietMs, sentence }];
  });
}

/** A worker was at it within the hour. */
function isTried(quietMs: number): boolean {
  return quietMs < sendAgainAfterMs;
}

function isStopping(row: Stored<RunRow>): row is Stored<StoppingRow> {
  return row.state === 'stopping' || row.state === 'stop-unknown';
}

function keysOf({ run, stop }: StoppingRow): readonly string[] {
  return [ledgerKeys.command(stop.id), ...(run === undefined ? [] : [ledgerKeys.runIdPool(run)])];
}

/** When a worker was at it last, or was to be at it; milliseconds since the epoch. */
function lastSeenMs(row: StoppingRow, own: CommandRow | undefined): number {
  const lease = row.state === 'stopping' ? row.lease : undefined;
  const { nextTryAt, until } = own?.attempt ?? {};
  const instants = [row.stop.issuedAt, row.landsUntil, lease?.until, nextTryAt, until];
  return Math.max(...instants.filter((at) => at !== undefined).map((at) => Date.parse(at)));
}

/** A worker that died at its first try left no command row: the stop as the row of its run records it. */
function commandOf({ campaignRunId, run, stop }: StoppingRow, pool: RunIdPoolRow | undefined): CampaignRunCommand {
  const { id, issuedAt, plannedBy } = stop;
  const isByName = run !== undefined && pool?.latestStop?.id === id;
  return {
    version: 1,
    id,
    action: 'stop',
    run: isByName ? run : undefined,
    campaignRunId: isByName ? undefined : campaignRunId,
    issuedAt,
    plannedBy,
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    reason: 'the run has accepted it, and no worker has tried it for an hour',
  };
}

/** What a tick found in flight. */
export interface DueStops {
  /** Runs between a start and its stop. */
  readonly inFlight: number;
  /** Those whose planned stop is due and not applied. */
  readonly due: number;
  /** Those whose stop was due some minutes ago; if the stage observes, runs that it began for real are among them. */
  readonly late: number;
}

/** Sends the planned stop of every run whose time has come, and the stops whose messages may be lost. */
export async function sendDueStops(deps: SendDeps): Promise<DueStops> {
  const now = deps.now();
  const rows = await readOpenRuns(deps.ledger);
  const due = dueOf(rows, now);
  const late = lateOf(due) + (deps.acting === undefined ? 0 : lateOf(dueOf(await readOpenRuns(deps.acting), now)));
  deps.reports.count(metricNames.stopsLate, late);
  const lost = readLostCommands(rows, now, deps.ledger);
  // If those cannot be read, what is due goes out all the same.
  const [found] = await Promise.allSettled([lost]);
  const dueIds = new Set(due.map(({ command }) => command.id));
  const others = found.status === 'fulfilled' ? found.value.filter(({ command }) => !dueIds.has(command.id)) : [];
  await sendDueCommands('due-stops', [...due, ...others], deps);
  await lost;
  return { inFlight: runsInFlight(rows, now).length, due: due.length, late };
}

function dueOf(rows: readonly RunRow[], now: Date): readonly DueCommand[] {
  return rows.map((row) => dueStopOf(row, now)).filter((stop) => stop !== undefined);
}

function lateOf(due: readonly DueCommand[]): number {
  return due.filter(({ lateMs }) => lateMs >= lateSendAfterMs).length;
}
