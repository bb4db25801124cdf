import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { newPoolRow, poolKey, type PoolRow } from '#shared/ledger/rows/pool-row.ts';

/** No start of a plan is so late. */
const farAhead = '9999-01-01T00:00:00.000Z';

/**
 * Fills the pools of a plan: by the time of a start a run is made for it, as long as nothing keeps the pool from filling. Else what is ready has to do.
 * @param count - runs that the plan may need
 */
export async function fillPlannedPools(
  ledger: Pick<Ledger, 'read' | 'write'>,
  { runs }: Pick<ConfigPart<'answer-questions'>, 'runs'>,
  { count, now }: { readonly count: number; readonly now: Date },
): Promise<void> {
  for (const { name, pool } of Object.values(runs)) {
    if (pool === undefined) continue;
    const before = await ledger.read<PoolRow>(poolKey(pool));
    const row = before ?? newPoolRow(pool, '', now);
    if (row.failing !== undefined) continue;
    const planned = Array.from({ length: count }, (_, index) => ({
      id: `made-for-${name}-${index + 1}`,
      startAt: farAhead,
    }));
    await ledger.write<PoolRow>(before, { ...row, made: [...row.made, ...planned] });
  }
}
