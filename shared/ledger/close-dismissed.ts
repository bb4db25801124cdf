import { closeRun, keysToClose, rowsToClose } from './close-run.ts';
import type { LedgerRow } from './rows/ledger-row.ts';
import type { ParkableRow } from './rows/message-row.ts';
import { isObserved, ledgerKeys, observedPrefix } from './rows/row-keys.ts';
import type { Ledger, RowChange } from './ledger.ts';
import type { RunRow } from './rows/run-row.ts';

/**
 * The changes that belong to the dismissal of a planned stop: the row of its run closes, if it still has the start that planned the stop. Without
 * them an overdue stop that a person dealt with would ring for ever. To be written together with the dismissal.
 * @returns no changes for every other row
 */
export async function closingsOf(
  row: ParkableRow,
  now: Date,
  ledger: Pick<Ledger, 'read' | 'readMany'>,
): Promise<readonly RowChange[]> {
  if (row.kind !== 'command') return [];
  const { plannedBy, campaignRunId = row.campaignRunId } = row.command;
  if (plannedBy === undefined || campaignRunId === undefined) return [];
  const prefix = isObserved(row) ? observedPrefix : '';
  const run = await ledger.read<RunRow>(`${prefix}${ledgerKeys.run(campaignRunId)}`);
  if (run === undefined) return [];
  const found = await ledger.readMany(keysToClose(run).map((key) => `${prefix}${key}`));
  const closing = closeRun({ ...rowsToClose(run, found), dismissed: plannedBy }, now);
  // The key of an observed row keeps its prefix.
  return (closing ?? []).map(({ before, after }) => ({ before, after: withKey(after, before?.pk ?? after.pk) }));
}

function withKey<Row extends LedgerRow>(row: Row, pk: string): Row {
  return { ...row, pk };
}
