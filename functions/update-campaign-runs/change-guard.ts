import { type GuardItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';

/** A row that somebody else writes at the same time is tried again this often. */
const writeTries = 5;

/**
 * Changes a guard item, whoever else writes it meanwhile.
 * @param change - the same item: there is nothing to change
 * @returns whether it is as wanted; false: it would not hold still
 */
export async function changeGuard(
  name: string,
  ledger: Pick<Ledger, 'read' | 'write'>,
  change: (guard: GuardItem | undefined) => GuardItem | undefined,
): Promise<boolean> {
  for (let tries = 0; tries < writeTries; tries += 1) {
    const guard = await ledger.read<GuardItem>(ledgerKeys.guard(name));
    const changed = change(guard);
    if (changed === undefined || changed === guard) return true;
    if ((await ledger.write<GuardItem>(guard, changed)) !== undefined) return true;
  }
  return false;
}
