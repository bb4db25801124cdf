/** The runs of a stage that a person looks for: in flight, to begin, or begun or ended within a day. */
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { readRunReports, type RunReport } from '../run-state/run-report.ts';
import { startsOf } from '../run-state/run-rows.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** More commands than these are no day of a stage. */
const mostCommands = 500;

/**
 * Reads how they stand, the latest first.
 * @param open - the starts that are known to have no end: of runs in flight, pending, deferred and parked ones
 * @param found - the starts of findings: they are shown however long ago they were
 */
export async function readStageRuns(
  { open, found }: { readonly open: readonly string[]; readonly found: readonly string[] },
  ledger: Ledger,
  clock: ZonedClock,
): Promise<readonly RunReport[]> {
  const sinceMs = clock.now.getTime() - dayMs;
  const recent = await startsSince(new Date(sinceMs), ledger);
  const runs = await readRunReports([...new Set([...open, ...found, ...recent])], ledger, clock);
  const isShown = ({ startId, startAt, endedAt }: RunReport) =>
    found.includes(startId) ||
    (endedAt === undefined && open.includes(startId)) ||
    Date.parse(endedAt ?? startAt) >= sinceMs;
  return runs.filter(isShown).toSorted((a, b) => b.startAt.localeCompare(a.startAt));
}

/** The starts that got their outcome since then, or whose run a stop ended. */
async function startsSince(since: Date, ledger: Ledger): Promise<readonly string[]> {
  const rows: Stored<CommandRow>[] = [];
  for await (const row of openRows(ledger, 'ENDED', { since: since.toISOString(), newestFirst: true })) {
    if (row.kind === 'command') rows.push(row);
    if (rows.length === mostCommands) break;
  }
  return startsOf(rows, ledger);
}
