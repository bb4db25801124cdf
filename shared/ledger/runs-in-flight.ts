import type { RunItem } from './items.ts';
import type { Ledger } from './ledger.ts';

/** Every run between its start and its stop, the oldest first. All of them: a few hundred at most, since each is a campaign that runs at this moment. */
export async function readRunsInFlight(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly RunItem[]> {
  const runs: RunItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen('RUN_IN_FLIGHT', cursor === undefined ? {} : { cursor });
    runs.push(...page.items.filter((row): row is typeof row & RunItem => row.kind === 'run'));
    cursor = page.next;
  } while (cursor !== undefined);
  return runs;
}
