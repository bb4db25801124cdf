import { AppError } from '../../shared/errors/app-error.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';

/**
 * What a write of a run's row after the answer came to. Nobody else writes it while the lease holds.
 * @throws AppError LEASE_LOST where somebody did: the row as it is then decides at the next delivery
 */
export function assertSettled(written: Stored<RunItem> | undefined, sending: RunItem): void {
  if (written !== undefined) return;
  throw new AppError(`the row of run ${sending.campaignRunId} was taken over while its request was under way`, {
    code: 'LEASE_LOST',
    retryable: true,
  });
}
