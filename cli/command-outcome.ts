import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CommandDeps } from './deps.ts';
import { type OutcomeReport, reportOf } from './outcome-report.ts';
import { readEither } from './read-either.ts';
import { type Patience, waitForOutcome } from './waiting.ts';

/** A command's outcome, and the run that it was about. */
export interface CommandReport extends OutcomeReport {
  readonly campaignRunId?: string;
}

/** Waits for the outcome of a command by its id. */
export async function waitForCommand(id: string, patience: Patience, deps: CommandDeps): Promise<CommandReport> {
  if (patience === undefined) return { outcome: 'sent' };
  const ledger = await deps.stage.ledger();
  const row = await waitForOutcome(() => readEither<CommandRow>(ledger, ledgerKeys.command(id)), {
    patience,
    deps,
    describe: (found) =>
      `${id}: ${found === undefined ? 'sent; no outcome yet (where the gateway makes it wait, the log of update-campaign-runs says why)' : 'under way, without an outcome yet'}`,
  });
  const { lastError, nextTryAt } = row?.outcome === undefined ? (row?.attempt ?? {}) : {};
  return { ...reportOf(row), campaignRunId: row?.campaignRunId, lastError, nextTryAt };
}
