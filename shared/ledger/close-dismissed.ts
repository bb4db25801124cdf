import { closeRun, keysToClose } from './close-run.ts';
import { isObserved, type LedgerItem, ledgerKeys, observedPrefix, type ParkableItem } from './items.ts';
import type { Ledger, RowChange, Stored } from './ledger.ts';
import type { CommandRow } from './rows/command-row.ts';
import type { GuardRow } from './rows/guard-row.ts';
import type { RunIdPoolRow } from './rows/run-id-pool-row.ts';
import type { RunRow } from './rows/run-row.ts';

/**
 * The changes that belong to the dismissal of a planned stop: the row of its run closes, if it still has the start that planned the stop. Without
 * them an overdue stop that a person dealt with would ring for ever. To be written together with the dismissal.
 * @returns no changes for every other row
 */
export async function closingsOf(
  row: ParkableItem,
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
  const rows = [...found.values()];
  const closing = closeRun(
    {
      run,
      guard: rows.find((one): one is Stored<GuardRow> => one.kind === 'guard'),
      pool: rows.find((one): one is Stored<RunIdPoolRow> => one.kind === 'run-id-pool'),
      start: rows.find((one): one is Stored<CommandRow> => one.kind === 'command'),
      dismissed: plannedBy,
    },
    now,
  );
  // The key of an observed row keeps its prefix.
  return (closing ?? []).map(({ before, after }) => ({ before, after: withKey(after, before?.pk ?? after.pk) }));
}

function withKey<Item extends LedgerItem>(item: Item, pk: string): Item {
  return { ...item, pk };
}
