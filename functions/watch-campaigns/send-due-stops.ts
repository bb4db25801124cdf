import type { RunItem } from '../../shared/ledger/items.ts';
import { readRunsInFlight } from '../../shared/ledger/runs-in-flight.ts';
import { metricNames } from '../../shared/vocabulary/metric-names.ts';
import type { SendDeps } from './deps.ts';
import { dueStopOf } from './due-stops.ts';
import { type DueCommand, lateAfterMs, sendDueCommands } from './send-due-commands.ts';

/** What a tick found in flight. */
export interface DueStops {
  /** Runs between a start and its stop. */
  readonly inFlight: number;
  /** Those whose stop is due and not applied. */
  readonly due: number;
  /** Those whose stop was due some minutes ago; where the stage only observes, runs that it began for real are among them. */
  readonly late: number;
}

/** Sends the stop of every run whose time has come. */
export async function sendDueStops(deps: SendDeps): Promise<DueStops> {
  const now = deps.now();
  const runs = await readRunsInFlight(deps.ledger);
  const due = dueOf(runs, now);
  const late = lateOf(due) + (deps.acting === undefined ? 0 : lateOf(dueOf(await readRunsInFlight(deps.acting), now)));
  deps.reports.count(metricNames.stopsLate, late);
  await sendDueCommands('due-stops', due, deps);
  return { inFlight: runs.length, due: due.length, late };
}

function dueOf(runs: readonly RunItem[], now: Date): DueCommand[] {
  return runs.map((row) => dueStopOf(row, now)).filter((stop) => stop !== undefined);
}

function lateOf(due: readonly DueCommand[]): number {
  return due.filter(({ lateMs }) => lateMs >= lateAfterMs).length;
}
