/** How the runs of a pool stand, by the rows of their ids, starts and targets. */
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { PoolRow } from '#shared/ledger/rows/pool-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow, isEnd, isFreeId, isUsed, type RunRow } from '#shared/ledger/rows/run-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { Use } from './decide-pool.ts';

/** By id, those that are not free. The row of the run says which to look at, so that an idle tick reads no row of an id. */
export async function usesOf(
  { made }: PoolRow,
  run: RunRow | undefined,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<ReadonlyMap<string, Use>> {
  const used = run === undefined ? [] : made.map(({ id }) => id).filter((id) => isUsed(run, id));
  const ids = await readIds(used, ledger);
  const keys = [...ids.values()].flatMap((row) => Object.values(keysOf(row)));
  const rows = keys.length === 0 ? new Map<string, Stored>() : await ledger.readMany([...new Set(keys)]);
  return new Map(used.map((id) => [id, useOf(ids.get(id), rows)]));
}

/** The rows of these ids, as far as there are any. */
export async function readIds(
  ids: readonly string[],
  ledger: Pick<Ledger, 'readMany'>,
): Promise<ReadonlyMap<string, Stored<IdRow>>> {
  const rows = ids.length === 0 ? new Map<string, Stored>() : await ledger.readMany(ids.map(ledgerKeys.runId));
  return new Map(
    ids.flatMap((id) => {
      const row = rowAt<IdRow>(rows, ledgerKeys.runId(id));
      return row === undefined ? [] : [[id, row] as const];
    }),
  );
}

function keysOf({ startId, target }: IdRow) {
  return { start: ledgerKeys.command(startId ?? ''), target: ledgerKeys.target(target ?? '') };
}

function useOf(row: Stored<IdRow> | undefined, rows: ReadonlyMap<string, Stored>): Use {
  // It was given back since the row of the run was read.
  if (row === undefined || isFreeId(row)) return 'going';
  const { startId, end, begunElsewhere } = row;
  // A stop by uuid may have been refused: such a run is cancelled all the same.
  if (begunElsewhere !== undefined || (startId !== undefined && isEnd(end))) return 'done';
  return startId === undefined ? 'unused' : useOfStart(row, rows);
}

function useOfStart(row: IdRow, rows: ReadonlyMap<string, Stored>): Use {
  const { start, target } = keysOf(row);
  const { outcome, campaignRunId } = rowAt<CommandRow>(rows, start) ?? {};
  const isIts = campaignRunId === row.campaignRunId;
  if (isIts && outcome === undefined) return 'going';
  if (isIts && outcome?.kind === 'applied') return 'done';
  const inFlight = rowAt<TargetRow>(rows, target)?.runs ?? [];
  return inFlight.some((entry) => entry.campaignRunId === row.campaignRunId) ? 'going' : 'unused';
}
