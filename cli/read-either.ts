import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { observedPrefix } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';

/** The row of what was done; else of what would have been, while the stage only observed. */
export async function readEither<Row extends LedgerRow>(
  ledger: Pick<Ledger, 'read'>,
  pk: string,
): Promise<Stored<Row> | undefined> {
  return (await ledger.read<Row>(pk)) ?? ledger.read<Row>(`${observedPrefix}${pk}`);
}
