import { isObserved, type RunItem } from '../shared/ledger/items.ts';
import type { Ledger } from '../shared/ledger/ledger.ts';
import { listOpenOfKind } from '../shared/ledger/open-rows.ts';
import { roughly } from './duration-argument.ts';
import { columns, printable } from './output.ts';

/** Every run between a start and its stop, the oldest first; what a stage that observes would have started runs nowhere and is left out. */
export async function listRunsInFlight(ledger: Ledger): Promise<readonly RunItem[]> {
  const runs = await listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'run');
  return runs.filter((row) => !isObserved(row));
}

/** `nightly (019b…)`, or the uuid alone. */
export function runTitle({ run, campaignRunId }: Pick<RunItem, 'run' | 'campaignRunId'>): string {
  return run === undefined ? campaignRunId : `${run} (${campaignRunId})`;
}

/** When the stop of a run in flight is due, or for how long it has been overdue. */
export function stopWords(dueAt: string | undefined, now: Date): string {
  if (dueAt === undefined) return 'no stop is planned';
  const overdueMs = now.getTime() - Date.parse(dueAt);
  return overdueMs < 0
    ? `its stop is due ${dueAt}`
    : `its stop was due ${dueAt} and is overdue for ${roughly(overdueMs)}`;
}

/** A run in flight as `--json` tells it. */
export function toldRun({ run: name, campaignRunId, openSince, stopDue }: RunItem): object {
  return {
    ...(name === undefined ? {} : { run: name }),
    campaignRunId,
    since: openSince,
    ...(stopDue === undefined ? {} : { stopDueAt: stopDue.at }),
  };
}

/** A line for each: which, for how long, and its stop. */
export function runLines(runs: readonly RunItem[], now: Date): readonly string[] {
  const rows = runs.map((row) => [runTitle(row), sinceWords(row, now), stopWords(row.stopDue?.at, now)]);
  return columns(rows.map((row) => row.map(printable))).map((line) => `  ${line}`);
}

/** A delayed start is in flight from an instant to come. */
function sinceWords({ openSince = '' }: RunItem, now: Date): string {
  const ageMs = now.getTime() - Date.parse(openSince);
  return ageMs < 0 ? `starts ${openSince}` : `for ${roughly(ageMs)}`;
}
