import type { Ledger, Stored } from './ledger.ts';
import { type RunRow, type SentStart, startOf } from './rows/run-row.ts';

/** A run that counts as in flight, and its start. */
export interface RunInFlight {
  readonly row: Stored<RunRow>;
  readonly start: SentStart;
}

/** Every run row that is not idle, the oldest first. All of them: each is a campaign that runs at this moment, or a stop under way. */
export async function readOpenRuns(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Stored<RunRow>[]> {
  const runs: Stored<RunRow>[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen('RUN_IN_FLIGHT', { cursor });
    runs.push(...page.items.filter((row): row is Stored<RunRow> => row.kind === 'run'));
    cursor = page.next;
  } while (cursor !== undefined);
  return runs;
}

/** The runs that the guards count as in flight: their start may be running, and their stop is planned or their `until` is to come. Pure. */
export function runsInFlight(rows: readonly Stored<RunRow>[], now: Date): readonly RunInFlight[] {
  return rows.flatMap((row) => {
    const start = startOf(row);
    if (start === undefined) return [];
    const isOpen = start.plannedStop !== undefined || Date.parse(start.until) > now.getTime();
    return isOpen ? [{ row, start }] : [];
  });
}

/** Reads the runs in flight: what `status` lists, and what `stop --all-in-flight` stops. */
export async function readRunsInFlight(ledger: Pick<Ledger, 'listOpen'>, now: Date): Promise<readonly RunInFlight[]> {
  return runsInFlight(await readOpenRuns(ledger), now);
}
