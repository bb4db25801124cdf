import { closeRun, keysToClose, rowsToClose } from '#shared/ledger/close-run.ts';
import { rowAt } from '#shared/ledger/ledger.ts';
import { type RunRow, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { SendDeps } from './deps.ts';
import { apply } from '../_runs/apply/apply.ts';
import { doEach } from './parts.ts';

type CloseDeps = Pick<SendDeps, 'ledger' | 'reports' | 'now'>;

/**
 * Closes the runs whose time is over and that plan no stop: no list shows them any more, and no stop by name reaches them.
 * @returns their names, or the uuids of unconfigured runs
 */
export async function closeRuns(deps: CloseDeps): Promise<readonly string[]> {
  const now = deps.now();
  const closed: string[] = [];
  await doEach(await readOpenRuns(deps.ledger), async (row) => {
    const start = startOf(row);
    if (start === undefined || !isOver(start, now)) return;
    if (await close(row, start, deps)) closed.push(row.run ?? row.campaignRunId);
  });
  return closed;
}

function isOver({ plannedStop, until }: SentStart, now: Date): boolean {
  return plannedStop === undefined && Date.parse(until) <= now.getTime();
}

/** The index comes late, so the rows are read again. If they change concurrently the next tick closes the run. */
async function close(listed: RunRow, { startId }: SentStart, deps: CloseDeps): Promise<boolean> {
  const { ledger, reports, now } = deps;
  const { campaignRunId } = listed;
  const rows = await ledger.readMany([listed.pk, ...keysToClose(listed)]);
  const run = rowAt<RunRow>(rows, listed.pk);
  if (run === undefined || startOf(run)?.startId !== startId) return false;
  const changes = closeRun(rowsToClose(run, rows), now());
  if (changes === undefined || (await apply(changes, { ledger })) === 'row-changed') return false;
  const sentence = `${campaignRunId} is closed: its time is over, and its start (${startId}) planned no stop`;
  reports.log.info(logEvents.runClosed, sentence, { campaignRunId, run: run.run, commandId: startId });
  return true;
}
