import { isUsed, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import type { ConfiguredIds } from './stage-config.ts';

/** What tells to whom a campaign run id belongs: the deployed configuration, and what the ledger has of its runs. */
export interface IdsOfRuns {
  readonly configured: ConfiguredIds;
  /** Of the runs that have one. */
  readonly pools: readonly RunIdPoolRow[];
  /** Rows of the ids that are asked for, as far as there are any. */
  readonly rows: readonly RunRow[];
}

/** Which run has an id already, as the predicate of a sentence: `was used by nightly already`; undefined if none has. */
export function holderOf(id: string, { configured, pools, rows }: IdsOfRuns): string | undefined {
  const user = pools.find((row) => isUsed(row, id));
  if (user !== undefined) return `was used by ${user.run} already`;
  const adder = pools.find((row) => row.added.includes(id));
  if (adder !== undefined) return `is bound to ${adder.run} already`;
  const live = pools.find((row) => row.live.includes(id));
  if (live !== undefined) return `is in flight as ${live.run}`;
  const row = rows.find(({ campaignRunId, state }) => campaignRunId === id && state !== 'idle');
  if (row !== undefined) return row.run === undefined ? 'is in flight' : `is in flight as ${row.run}`;
  for (const [run, pool] of configured) {
    const ids = pool.kind === 'list' ? pool.campaignRunIds : [pool.campaignRunId];
    // A uuid is the same run in any case of its letters.
    if (ids.some((one) => one.toLowerCase() === id)) return `is configured for ${run} already`;
  }
  return undefined;
}
