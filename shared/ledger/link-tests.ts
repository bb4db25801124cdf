import type { LinkTest } from '../messages/link-test.ts';
import type { FunctionName } from '../vocabulary/function-names.ts';
import type { LedgerRowBase, RecordedOutcome } from './rows/ledger-row.ts';
import type { Ledger } from './ledger.ts';
import { expiryOf } from './rows/row-expiry.ts';
import { ledgerKeys } from './rows/row-keys.ts';

/** A mark of `autopilot doctor --deep` that arrived. It is about the stage and not about work: the same in both modes, and gone after two days. */
export interface LinkTestRow extends LedgerRowBase {
  readonly kind: 'link-test';
  readonly link: LinkTest['link'];
  /** The function that took it. */
  readonly worker: FunctionName;
  readonly outcome: RecordedOutcome;
}

/** Records that a mark arrived; answers whether an earlier delivery had recorded it. */
export async function recordLinkTest(
  ledger: Ledger,
  { id, link }: LinkTest,
  { worker, detail, now }: { readonly worker: FunctionName; readonly detail: string; readonly now: Date },
): Promise<{ readonly isRepeat: boolean }> {
  const pk = ledgerKeys.linkTest(id);
  if ((await ledger.read<LinkTestRow>(pk)) !== undefined) return { isRepeat: true };
  const outcome = { kind: 'ignored', detail, at: now.toISOString() } as const;
  const row: LinkTestRow = { pk, kind: 'link-test', link, worker, outcome, expiresAt: expiryOf('link-test', now) };
  return { isRepeat: (await ledger.write<LinkTestRow>(undefined, row)) === undefined };
}
