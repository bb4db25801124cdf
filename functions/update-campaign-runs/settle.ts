import { AppError } from '../../shared/errors/app-error.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';

/**
 * Writes a run's row after the answer. Nobody else writes it while the lease holds.
 * @throws AppError LEASE_LOST where somebody did: the row as it is then decides at the next delivery
 */
export async function settle(ledger: Ledger, sending: Stored<RunItem>, after: RunItem): Promise<void> {
  const written = await ledger.write<RunItem>(sending, after);
  if (written !== undefined) return;
  throw new AppError(`the row of run ${sending.campaignRunId} was taken over while its request was under way`, {
    code: 'LEASE_LOST',
    retryable: true,
  });
}
