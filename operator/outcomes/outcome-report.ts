import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { nextStepOf } from '#shared/uploads/locked-field.ts';
import type { ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import { failedAfter } from '../failures.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { handleOf } from '../handles.ts';
import { readRunReports, type RunReport, stageClock } from '../run-state/run-report.ts';
import { startsOf } from '../run-state/run-rows.ts';
import {
  isPending,
  isPendingUpload,
  pendingCommand,
  pendingSentence,
  pendingUpload,
  type PendingWork,
} from './pending-work.ts';

/** The outcome of one piece of work as `--json` has it; `waiting` if none is recorded yet. */
export interface OutcomeReport {
  readonly outcome: RecordedOutcome['kind'] | 'waiting' | 'sent';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  readonly locked?: RecordedOutcome['locked'];
  /** Nothing was sent to the gateway: the stage only observes. */
  readonly isObserved?: true;
  /** What a person does about a parked one. */
  readonly nextStep?: string;
  /** What `autopilot parked show` takes. */
  readonly parkedId?: string;
  /** Of work without an outcome whose first attempt has ended: since when, how often, why, and when it is tried again. */
  readonly pending?: PendingWork;
}

/** Tells the outcome of a row. */
export function reportOf(
  row: (Pick<LedgerRow, 'pk' | 'isObserved'> & { readonly outcome?: RecordedOutcome }) | undefined,
): OutcomeReport {
  const outcome = row?.outcome;
  if (row === undefined || outcome === undefined) return { outcome: 'waiting' };
  const { kind, reason, detail, locked } = outcome;
  return {
    outcome: kind,
    reason,
    detail,
    locked,
    isObserved: row.isObserved,
    parkedId: kind === 'parked' ? handleOf(row.pk) : undefined,
    nextStep: kind === 'parked' ? nextStepOf(outcome) : undefined,
  };
}

/** How long a command waits for its outcome; undefined: not at all (`--no-wait`). A person who presses Ctrl-C has no more patience. */
export type WaitLimit = { readonly timeoutMs: number } | undefined;

/** A row that will carry an outcome. */
export interface Awaited {
  readonly outcome?: RecordedOutcome;
}

const firstPauseMs = 100;
const longestPauseMs = 1500;
const quietMs = 4000;

/**
 * Reads a row until it has an outcome or the patience ends; answers the row as last read.
 */
export async function waitForOutcome<Row extends Awaited>(
  read: () => Promise<Row | undefined>,
  waiting: Said<Row> & { readonly patience: WaitLimit; readonly deps: OperatorDeps },
): Promise<Row | undefined> {
  const { patience, deps } = waiting;
  if (patience === undefined) return undefined;
  const interruption = deps.interruption();
  const startedMs = deps.elapsedMs();
  let pauseMs = firstPauseMs;
  const say = sayer(waiting);
  let row: Row | undefined;
  const most = `at most ${Math.round(patience.timeoutMs / 1000)} s`;
  const shown = deps.working?.(() => `${waiting.describe(row)} (${most})`);
  try {
    for (;;) {
      row = await read();
      const waitedMs = deps.elapsedMs() - startedMs;
      if (row?.outcome !== undefined || waitedMs >= patience.timeoutMs || interruption.aborted) return row;
      say(row, waitedMs);
      await deps.wait(Math.min(pauseMs, patience.timeoutMs - waitedMs));
      pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
    }
  } finally {
    shown?.[Symbol.dispose]();
  }
}

interface Said<Row> {
  /** Once, after a while without news. */
  readonly describe: (row: Row | undefined) => string;
  /** At once, and again whenever it changes. */
  readonly news?: (row: Row) => string | undefined;
}

function sayer<Row>({
  describe,
  news,
  deps,
}: Said<Row> & { readonly deps: Pick<OperatorDeps, 'progress' | 'working'> }) {
  let last: string | undefined;
  return (row: Row | undefined, waitedMs: number): void => {
    const found = row && news?.(row);
    // On a terminal a line of its own says it all the time.
    const isQuiet = deps.working === undefined && last === undefined && waitedMs >= quietMs;
    const line = found ?? (isQuiet ? describe(row) : undefined);
    if (line === undefined || line === last) return;
    last = line;
    deps.progress(line);
  };
}

/** A command's outcome, and how the runs stand that it was about. */
export interface CommandReport extends OutcomeReport {
  readonly campaignRunId?: string;
  readonly runs?: readonly RunReport[];
}

/** What is known of work that was tried and has no outcome. */
export function pendingOf(row: LedgerRow | undefined): PendingWork | undefined {
  if (row?.kind === 'upload') return isPendingUpload(row) ? pendingUpload(row) : undefined;
  return row?.kind === 'command' && isPending(row) && row.attempt !== undefined ? pendingCommand(row) : undefined;
}

/** In one line, for a person who waits. */
export function newsOf(
  pending: PendingWork | undefined,
  { written }: Pick<OperatorDeps, 'written'>,
): string | undefined {
  return pending && `${pending.id}: no outcome yet, ${pendingSentence(pending, written)}`;
}

/**
 * Waits for the outcome of a command that was sent, by its id.
 * @throws OperatorError that says so if the stage cannot be read: a person would send the command once more
 */
export async function waitForCommand(id: string, patience: WaitLimit, deps: OperatorDeps): Promise<CommandReport> {
  if (patience === undefined) return { outcome: 'sent' };
  try {
    const row = await awaitedCommand(id, patience, deps);
    const runs = row === undefined ? [] : await runsOf(row, deps);
    return { ...reportOf(row), campaignRunId: row?.campaignRunId, pending: pendingOf(row), runs };
  } catch (error) {
    throw failedAfter(`${id} was sent; waiting for it failed`, error, deps.target, ['autopilot', 'show', id]);
  }
}

async function runsOf(row: CommandRow, deps: OperatorDeps): Promise<readonly RunReport[]> {
  const [ledger, clock] = await Promise.all([deps.stage.ledger(), stageClock(deps)]);
  return readRunReports(await startsOf([row], ledger), ledger, clock);
}

async function awaitedCommand(id: string, patience: WaitLimit, deps: OperatorDeps) {
  const ledger = await deps.stage.ledger();
  return waitForOutcome(() => ledger.read<CommandRow>(ledgerKeys.command(id)), {
    patience,
    deps,
    describe: (found) =>
      `${id}: ${found === undefined ? 'sent; no outcome yet, and no attempt at it has ended' : 'under way, without an outcome yet'}`,
    news: (found) => newsOf(pendingOf(found), deps),
  });
}
