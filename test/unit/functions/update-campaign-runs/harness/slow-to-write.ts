import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';

/** The ledger of a worker that is slow: right before its first write of such a row others act. */
export function slowToWrite(
  { ledger }: { readonly ledger: Ledger },
  kind: LedgerRow['kind'],
  others: () => Promise<unknown>,
): Ledger {
  let isLate = false;
  return {
    ...ledger,
    async writeAll(changes) {
      if (!isLate && changes.some(({ after }) => after.kind === kind)) {
        isLate = true;
        await others();
      }
      return ledger.writeAll(changes);
    },
  };
}
