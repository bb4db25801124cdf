import { type LedgerItem, observedPrefix } from '#shared/ledger/items.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';

/** The row of what was done; else of what would have been, while the stage only observed. */
export async function readEither<Item extends LedgerItem>(
  ledger: Pick<Ledger, 'read'>,
  pk: string,
): Promise<Stored<Item> | undefined> {
  return (await ledger.read<Item>(pk)) ?? ledger.read<Item>(`${observedPrefix}${pk}`);
}
