import { AppError } from '#shared/errors/app-error.ts';
import { closeRun, keysToClose, rowsToClose } from '#shared/ledger/close-run.ts';
import { type Ledger, type RowChange, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { type RunRow, startOf } from '#shared/ledger/rows/run-row.ts';
import { statesAfter } from '#shared/ledger/run-moves.ts';
import type { LoadedState } from './load-state.ts';

/**
 * Writes the rows of a decision, all or nothing. The only writer of runs, guards, run id pools and commands in the worker.
 * @returns the rows as they are stored now, or `'row-changed'` if any of them was written concurrently: read again, decide again
 * @throws AppError NO_SUCH_MOVE if a run would enter a state that its state does not lead to; nothing is written then
 */
export async function apply(
  changes: readonly RowChange[],
  { ledger }: { readonly ledger: Pick<Ledger, 'writeAll'> },
): Promise<readonly Stored[] | 'row-changed'> {
  for (const change of changes) assertMove(change);
  return changes.length === 0 ? [] : ledger.writeAll(changes);
}

function assertMove({ before, after }: RowChange): void {
  if (after.kind !== 'run') return;
  const from = before?.kind === 'run' ? before : ({ state: 'idle' } as const);
  if (statesAfter(from).has(after.state)) return;
  throw new AppError(`run ${after.campaignRunId} cannot go from ${from.state} to ${after.state}`, {
    code: 'NO_SUCH_MOVE',
    retryable: true,
  });
}

/**
 * Writes the rows of a decision.
 * @returns the state with the rows as they are stored now, or `'row-changed'`
 */
export async function applyTo(
  state: LoadedState,
  changes: readonly RowChange[],
  deps: Parameters<typeof apply>[1],
): Promise<LoadedState | 'row-changed'> {
  const written = await apply(changes, deps);
  return written === 'row-changed' ? written : written.reduce<LoadedState>(withRow, state);
}

function withRow(state: LoadedState, row: Stored): LoadedState {
  switch (row.kind) {
    case 'run':
      return { ...state, run: row };
    case 'run-id-pool':
      return { ...state, pool: row };
    case 'guard':
      return { ...state, guard: row };
    case 'command':
      return row.id === state.sent.id
        ? { ...state, row }
        : { ...state, others: new Map([...state.others, [row.id, row]]) };
    default:
      return state;
  }
}

/**
 * Closes a run if its `until` has passed and it plans no stop. The row may come from an index, so it is read again.
 * @returns the row as it was before, if it is closed now; a start without an outcome is never closed
 */
export async function closeIfOver(
  listed: RunRow,
  now: Date,
  { ledger }: { readonly ledger: Pick<Ledger, 'readMany' | 'writeAll'> },
): Promise<RunRow | undefined> {
  const rows = await ledger.readMany([listed.pk, ...keysToClose(listed)]);
  const run = rowAt<RunRow>(rows, listed.pk);
  if (run === undefined || startOf(run)?.startId !== startOf(listed)?.startId) return undefined;
  const changes = closeRun(rowsToClose(run, rows), now);
  if (changes === undefined || (await apply(changes, { ledger })) === 'row-changed') return undefined;
  return run;
}
