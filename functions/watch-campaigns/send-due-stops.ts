import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { readOpenRuns, runsInFlight } from '#shared/ledger/open-rows.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { SendDeps } from './deps.ts';
import { dueStopOf, readLostCommands } from './due-stops.ts';
import { type DueCommand, lateAfterMs, sendDueCommands } from './send-due-commands.ts';

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
  return due.filter(({ lateMs }) => lateMs >= lateAfterMs).length;
}
