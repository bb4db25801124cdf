import { toError } from '#shared/errors/app-error.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import {
  type OperatorDecision,
  repeatMessage,
  resolveApplied,
  type Resolved,
  resolveDismiss,
  resolveRepeat,
} from './resolve-parked.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { causeOf, isDenied } from '../failures.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import {
  type OutcomeReport,
  type WaitLimit,
  reportOf,
  waitForCommand,
  waitForOutcome,
} from '../outcomes/outcome-report.ts';
import { handleOf, rememberHandle } from '../handles.ts';
import { subjectOf } from './parked-rows.ts';

/** What a person decided about parked rows. */
export type RowVerdict =
  | { readonly kind: 'applied'; readonly datasetId: string }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'dismiss' };

/** A decision as what was done to a row. */
export const doneWords: Readonly<Record<RowVerdict['kind'], string>> = {
  applied: 'recorded as applied',
  repeat: 'sent again',
  dismiss: 'dismissed',
};

/** What became of one row. */
export interface ResolveReport {
  readonly id: string;
  readonly kind: ParkableRow['kind'];
  readonly subject: string;
  readonly decision: RowVerdict['kind'];
  /** Why it is not resolved, or not wholly. */
  readonly problem?: string;
  /** Whether the kept message went back to its queue. */
  readonly isSent: boolean;
  /** Of a repeat of a command: the id of the new command. */
  readonly as?: string;
  /** Of a repeat; absent if the command does not wait for it. */
  readonly next?: OutcomeReport & { readonly datasetId?: string };
}

/**
 * Writes one decision, then sends the kept message: a repeat for its second try, an `applied` for
 * its follow-ups (event, `thenStart`). In this order a crash between the two leaves a row that the
 * same command can resolve again, never a message without a decision. What goes wrong with one row
 * is its own problem.
 * @throws Error if the person may not write the decision
 */
export async function resolveRow(
  row: Stored<ParkableRow>,
  { verdict, decision }: { readonly verdict: RowVerdict; readonly decision: OperatorDecision },
  deps: OperatorDeps,
): Promise<ResolveReport> {
  const about = { id: handleOf(row.pk), kind: row.kind, subject: subjectOf(row), decision: verdict.kind };
  try {
    const ledger = await deps.stage.ledger();
    await rememberHandle(ledger, row.pk, decision.at);
    const problem = isDecidedAlike(row, verdict) ? undefined : await writeDecision(row, verdict, decision, ledger);
    if (problem !== undefined) return { ...about, problem, isSent: false };
  } catch (error) {
    // As for this row, so for every other one.
    if (isDenied(error)) throw error;
    return { ...about, problem: `its decision could not be written: ${toError(error).message}`, isSent: false };
  }
  if (verdict.kind === 'dismiss') return { ...about, isSent: false };
  try {
    return { ...about, ...(await sendAgain(row, deps)) };
  } catch (error) {
    const problem = `the decision is written, but its message could not be sent (${causeOf(error)}): the same command again sends it`;
    return { ...about, problem, isSent: false };
  }
}

/** The same was decided before, and its message may never have been sent: sending it (again) is harmless, forgetting it is not. */
function isDecidedAlike(row: Stored<ParkableRow>, verdict: RowVerdict): boolean {
  const last = row.resolutions?.at(-1);
  if (verdict.kind === 'applied') return row.outcome?.kind === 'applied' && last?.datasetId === verdict.datasetId;
  const isOpenAgain = row.kind === 'command' ? last?.as !== undefined : row.outcome === undefined;
  return verdict.kind === 'repeat' && isOpenAgain && last?.decision === 'repeat';
}

/** Writes the decision. Returns what stands in the way, if anything. */
async function writeDecision(
  row: Stored<ParkableRow>,
  verdict: RowVerdict,
  decision: OperatorDecision,
  ledger: Ledger,
): Promise<string | undefined> {
  const resolved = resolvedBy(row, verdict, decision);
  if (!resolved.ok) return resolved.problem;
  if ((await ledger.write(row, resolved.row)) !== undefined) return undefined;
  // Another writer was first: its row says what to report.
  const current = await ledger.read<ParkableRow>(row.pk);
  const again = current === undefined ? undefined : resolvedBy(current, verdict, decision);
  return again?.ok === false ? again.problem : 'another person or worker changed it at this moment: look again';
}

/** The row as the decision makes it, or why it cannot. */
export function resolvedBy(
  row: Stored<ParkableRow>,
  verdict: RowVerdict,
  decision: OperatorDecision,
): Resolved<ParkableRow> {
  if (isDecidedAlike(row, verdict)) return { ok: true, row };
  switch (verdict.kind) {
    case 'applied':
      return resolveApplied(row, { ...decision, datasetId: verdict.datasetId });
    case 'repeat':
      return resolveRepeat(row, decision);
    case 'dismiss':
      return resolveDismiss(row, decision);
  }
}

/** Sends what the decision in the row asks for; the ledger has it by now. */
async function sendAgain(
  { pk }: Stored<ParkableRow>,
  deps: OperatorDeps,
): Promise<Pick<ResolveReport, 'isSent' | 'as'>> {
  const row = await (await deps.stage.ledger()).read<ParkableRow>(pk);
  const message = row && repeatMessage(row);
  if (row?.parked === undefined || message === undefined) return { isSent: false };
  await deps.stage.send(row.parked.queue, message);
  const as = row.resolutions?.at(-1)?.as;
  return { isSent: true, ...(as !== undefined && { as }) };
}

/**
 * Waits for what becomes of a repeat. A message without a key of its own is a new message once it
 * is sent again. Its row gets no further outcome, and there is nothing to wait for.
 */
export async function nextOutcome(
  row: Stored<ParkableRow>,
  patience: WaitLimit,
  deps: OperatorDeps,
): Promise<ResolveReport['next']> {
  if (row.kind === 'message') return undefined;
  if (row.kind === 'command') return waitForCommand(commandIds.repeat(row.id), patience, deps);
  if (patience === undefined) return { outcome: 'sent' };
  const ledger = await deps.stage.ledger();
  const ended = await waitForOutcome(() => ledger.read<Exclude<ParkableRow, { kind: 'message' | 'command' }>>(row.pk), {
    patience,
    deps,
    describe: () => `${subjectOf(row)}: sent again; no outcome yet`,
  });
  const datasetId = ended?.kind === 'upload' ? ended.datasetId : undefined;
  return { ...reportOf(ended), datasetId };
}
