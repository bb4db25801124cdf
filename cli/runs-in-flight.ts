import { isObserved, type RunItem } from '../shared/ledger/items.ts';
import type { Ledger } from '../shared/ledger/ledger.ts';
import { listOpenOfKind } from '../shared/ledger/open-rows.ts';

/** Every run between a start and its stop, the oldest first; what a stage that observes would have started runs nowhere and is left out. */
export async function listRunsInFlight(ledger: Ledger): Promise<readonly RunItem[]> {
  const runs = await listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'run');
  return runs.filter((row) => !isObserved(row));
}

/** `nightly (019b…)`, or the uuid alone. */
export function runTitle({ run, campaignRunId }: Pick<RunItem, 'run' | 'campaignRunId'>): string {
  return run === undefined ? campaignRunId : `${run} (${campaignRunId})`;
}
