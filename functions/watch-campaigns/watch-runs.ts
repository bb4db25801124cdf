import { rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { readTargetsInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type InFlight, type TargetRow, withEntry, withoutEntry, withStopped } from '#shared/ledger/rows/target-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { dueStopOf, lostCommandOf, type RowsOfEntry, settledEntry } from './settle-runs.ts';
import { lateSendAfterMs, sendAgainAfterMs, sendDueCommands } from './send-due-commands.ts';
import { doEach, type SendDeps } from '../_watch/watch-tick.ts';

/** What a tick found in flight, and did about it. */
export interface RunsWatched {
  /** Runs from before their start until their stop is settled. */
  readonly inFlight: number;
  /** Those whose planned stop is due and not applied. */
  readonly due: number;
  /** Those whose planned stop was due some minutes ago; if the stage observes, runs that it began for real are among them. */
  readonly late: number;
  /** Runs that count as in flight no longer, by name. */
  readonly countedOut: readonly string[];
  /** Runs that count as running again, by name. */
  readonly released: readonly string[];
}

/** Sends the planned stop of every run whose time has come, sends what may be lost again, and settles the entries whose commands are done. */
export async function watchRuns(deps: SendDeps): Promise<RunsWatched> {
  const now = deps.now();
  const targets = await readTargetsInFlight(deps.ledger);
  const entries = targets.flatMap(({ runs }) => runs);
  const forReal = deps.acting === undefined ? [] : await readTargetsInFlight(deps.acting);
  const late = lateOf([...targets, ...forReal], now);
  deps.reports.count(metricNames.stopsLate, late);

  const due = entries.map((entry) => dueStopOf(entry, now)).filter((stop) => stop !== undefined);
  const reading = readCommands(entries, deps);
  // If those cannot be read, what is due goes out all the same.
  const [rows] = await Promise.allSettled([reading]);
  const lost = rows.status === 'fulfilled' ? entries.map((entry) => lostCommandOf(entry, rows.value(entry), now)) : [];
  await sendDueCommands('due-stops', [...due, ...lost.filter((command) => command !== undefined)], deps);
  const rowsOf = await reading;

  const settled: Settled[] = [];
  await doEach(targets, async (target) => void settled.push(...(await settle(target, rowsOf, deps))));
  const named = (as: Settled['as']) => settled.filter((one) => one.as === as).map(({ entry }) => entry.run);
  const [countedOut, released] = [named('counted-out'), named('released')];
  return { inFlight: entries.length, due: due.length, late, countedOut, released };
}

function lateOf(targets: readonly TargetRow[], now: Date): number {
  const isLate = ({ plansStop, endsAt }: InFlight) =>
    plansStop && now.getTime() - Date.parse(endsAt) >= lateSendAfterMs;
  return targets.flatMap(({ runs }) => runs).filter(isLate).length;
}

type RowsOf = (entry: InFlight) => RowsOfEntry;

/** The rows of the commands of every entry, in one request. */
async function readCommands(entries: readonly InFlight[], { ledger }: SendDeps): Promise<RowsOf> {
  if (entries.length === 0) return () => ({});
  const rows = await ledger.readMany([...new Set(entries.flatMap((entry) => Object.values(keysOf(entry))))]);
  return (entry) => {
    const keys = keysOf(entry);
    return {
      start: rowAt<CommandRow>(rows, keys.start),
      planned: rowAt<CommandRow>(rows, keys.planned),
      ordering: rowAt<CommandRow>(rows, keys.ordering),
    };
  };
}

function keysOf({ startId, orderedBy }: InFlight): Record<keyof RowsOfEntry, string> {
  return {
    start: ledgerKeys.command(startId),
    planned: ledgerKeys.command(commandIds.plannedStop(startId)),
    ordering: ledgerKeys.command(orderedBy ?? commandIds.end(startId)),
  };
}

interface Settled {
  readonly entry: InFlight;
  readonly as: 'released' | 'counted-out';
}

/**
 * Writes the row of a target without the runs that are counted out, or that could not be read within the hour after their stop. The row comes from an index, and is written only if it is still the same: else
 * the next tick looks again.
 */
async function settle(target: Stored<TargetRow>, rowsOf: RowsOf, deps: SendDeps): Promise<readonly Settled[]> {
  const now = deps.now();
  const settled = target.runs.flatMap((entry): readonly Settled[] => {
    const as = settledEntry(entry, rowsOf(entry), now);
    return as === undefined ? [] : [{ entry, as }];
  });
  const { stopped = [] } = target;
  const unread = stopped.filter(({ stoppedAt }) => now.getTime() - Date.parse(stoppedAt) < sendAgainAfterMs);
  if (settled.length === 0 && unread.length === stopped.length) return [];
  const next = settled.reduce<TargetRow>(
    (row, { entry, as }) =>
      as === 'counted-out'
        ? withoutEntry(row, entry.startId)
        : withEntry(row, { ...entry, state: 'running', orderedBy: undefined }),
    withStopped(target, unread),
  );
  if ((await deps.ledger.write<TargetRow>(target, next)) === undefined) return [];
  for (const one of settled) report(one, deps);
  return settled;
}

function report({ entry, as }: Settled, { reports }: SendDeps): void {
  const { campaignRunId, run, startId, endsAt, orderedBy } = entry;
  const fields = { campaignRunId, run, commandId: startId };
  const isOut = `${campaignRunId} of ${run} is counted out: it was in flight until ${endsAt}, and no stop settled it`;
  const isBack = `${campaignRunId} of ${run} counts as running again: ${orderedBy ?? 'its stop'} has its outcome and did not settle it`;
  if (as === 'counted-out') reports.log.info(logEvents.runCountedOut, isOut, fields);
  else reports.log.warn(logEvents.runReleased, isBack, fields);
}
