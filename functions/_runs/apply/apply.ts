import { AppError } from '#shared/errors/app-error.ts';
import type { Ledger, RowChange, Stored } from '#shared/ledger/ledger.ts';
import { statesAfter } from '#shared/ledger/run-moves.ts';

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
