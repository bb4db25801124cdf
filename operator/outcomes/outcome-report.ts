import type { LedgerRow, RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import { isObserved, ledgerKeys, observedPrefix } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { isParkReason, parkReasons, type ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { handleOf } from '../parked/parked-handles.ts';

/** The outcome of one piece of work as `--json` tells it; `waiting` where none is recorded yet. */
export interface OutcomeReport {
  readonly outcome: RecordedOutcome['kind'] | 'waiting' | 'sent';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  /** Nothing was sent to the gateway: the stage only observes. */
  readonly isObserved?: true;
  /** What a person does about a parked one. */
  readonly nextStep?: string;
  /** What `autopilot parked show` takes. */
  readonly parkedId?: string;
  /** Of a command without an outcome: why its last request failed, in the gateway's words if it gave any. */
  readonly lastError?: string;
  readonly nextTryAt?: string;
}

/** Tells the outcome of a row. */
export function reportOf(row: { readonly pk: string; readonly outcome?: RecordedOutcome } | undefined): OutcomeReport {
  const outcome = row?.outcome;
  if (row === undefined || outcome === undefined) return { outcome: 'waiting' };
  const { kind, reason, detail } = outcome;
  return {
    outcome: kind,
    reason,
    detail,
    ...(isObserved(row) ? { isObserved: true } : {}),
    ...(kind === 'parked' ? { parkedId: handleOf(row.pk) } : {}),
    ...(kind === 'parked' && reason !== undefined && isParkReason(reason)
      ? { nextStep: parkReasons[reason].nextStep }
      : {}),
  };
}

/** The row of what was done; else of what would have been, while the stage only observed. */
export async function readEither<Row extends LedgerRow>(
  ledger: Pick<Ledger, 'read'>,
  pk: string,
): Promise<Stored<Row> | undefined> {
  return (await ledger.read<Row>(pk)) ?? ledger.read<Row>(`${observedPrefix}${pk}`);
}

/** How long a command waits for its outcome; undefined: not at all (`--no-wait`). A person who presses Ctrl-C has no more patience. */
export type Patience = { readonly timeoutMs: number } | undefined;

/** A row that will carry an outcome. */
export interface Awaited {
  readonly outcome?: RecordedOutcome;
}

const firstPauseMs = 100;
const longestPauseMs = 1500;
const quietMs = 4000;

/**
 * Reads a row until it has an outcome or the patience ends; answers the row as last read.
 * @param waiting.describe - what a person who has waited a while is told, once
 */
export async function waitForOutcome<Row extends Awaited>(
  read: () => Promise<Row | undefined>,
  waiting: {
    readonly patience: Patience;
    readonly deps: OperatorDeps;
    readonly describe: (row: Row | undefined) => string;
  },
): Promise<Row | undefined> {
  const { patience, deps, describe } = waiting;
  if (patience === undefined) return undefined;
  const interruption = deps.interruption();
  const startedMs = deps.elapsedMs();
  let pauseMs = firstPauseMs;
  let hasTold = false;
  for (;;) {
    const row = await read();
    const waitedMs = deps.elapsedMs() - startedMs;
    if (row?.outcome !== undefined || waitedMs >= patience.timeoutMs || interruption.aborted) return row;
    if (!hasTold && waitedMs >= quietMs) {
      hasTold = true;
      deps.progress(describe(row));
    }
    await deps.wait(Math.min(pauseMs, patience.timeoutMs - waitedMs));
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
  }
}

/** A command's outcome, and the run that it was about. */
export interface CommandReport extends OutcomeReport {
  readonly campaignRunId?: string;
}

/** Waits for the outcome of a command by its id. */
export async function waitForCommand(id: string, patience: Patience, deps: OperatorDeps): Promise<CommandReport> {
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
