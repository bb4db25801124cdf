import type { BindingItem } from '../shared/ledger/items.ts';
import { isUsed } from '../shared/ledger/used-ids.ts';
import type { ConfiguredIds } from './stage-config.ts';

/** What tells to whom a campaign run id belongs: the deployed configuration, and what the ledger has of its runs. */
export interface IdsOfRuns {
  readonly configured: ConfiguredIds;
  /** Of the runs that have one. */
  readonly bindings: readonly BindingItem[];
}

/** Which run has an id already, as the predicate of a sentence: `was used by nightly already`; undefined where none has. */
export function holderOf(id: string, { configured, bindings }: IdsOfRuns): string | undefined {
  const user = bindings.find((row) => isUsed(row, id));
  if (user !== undefined) return `was used by ${user.run} already`;
  const adder = bindings.find((row) => row.added.includes(id));
  if (adder !== undefined) return `is bound to ${adder.run} already`;
  for (const [run, pool] of configured) {
    const ids = pool.kind === 'list' ? pool.campaignRunIds : [pool.campaignRunId];
    // A uuid is the same run in any case of its letters.
    if (ids.some((one) => one.toLowerCase() === id)) return `is configured for ${run} already`;
  }
  return undefined;
}
