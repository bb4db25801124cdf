import type { ParkableItem } from '../shared/ledger/items.ts';
import type { Ledger, Stored } from '../shared/ledger/ledger.ts';
import {
  type Decision,
  resolveApplied,
  type Resolved,
  resolveDismiss,
  resolveRepeat,
} from '../shared/ledger/resolve-parked.ts';
import { waitForCommand } from './command-outcome.ts';
import type { CommandDeps } from './deps.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { type OutcomeReport, reportOf } from './outcome-report.ts';
import { handleOf, subjectOf } from './parked-rows.ts';
import { type Patience, waitForOutcome } from './waiting.ts';

/** What a person decided about parked rows. */
export type Verdict =
  | { readonly kind: 'applied'; readonly datasetId: string }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'dismiss' };

/** What became of one row. */
export interface ResolveReport {
  readonly id: string;
  readonly subject: string;
  readonly decision: Verdict['kind'];
  /** Why nothing was decided: the row is resolved already, or cannot be repeated. */
  readonly problem?: string;
  /** Whether the kept message went back to its queue. */
  readonly isSent: boolean;
  /** Of a repeat; absent where there is nothing to wait for. */
  readonly next?: OutcomeReport & { readonly datasetId?: string };
}

/**
 * Writes one decision, then sends the kept message: a repeat for its second try, an `applied` for its follow-ups (event, `thenStart`). In
 * this order a crash between the two leaves a row that can be resolved by the same command again, never a message that nobody decided on.
 */
export async function resolveRow(
  row: Stored<ParkableItem>,
  decided: { readonly verdict: Verdict; readonly decision: Decision; readonly patience: Patience },
  deps: CommandDeps,
): Promise<ResolveReport> {
  const { verdict } = decided;
  const about = { id: handleOf(row.pk), subject: subjectOf(row), decision: verdict.kind };
  const ledger = await deps.stage.ledger();
  const written = isApprovedAndUnsent(row, verdict)
    ? { ok: true as const }
    : await writeDecision(row, verdict, decided.decision, ledger);
  if (!written.ok) return { ...about, problem: written.problem, isSent: false };

  const isSent = verdict.kind !== 'dismiss' && (await sendKept(row, about.id, deps));
  if (verdict.kind !== 'repeat') return { ...about, isSent };
  const next = await nextOutcome(row, decided.patience, ledger, deps);
  return { ...about, isSent, ...(next === undefined ? {} : { next }) };
}

/** A repeat that was written, and whose message may never have been sent: sending it (again) is harmless, forgetting it is not. */
function isApprovedAndUnsent(row: Stored<ParkableItem>, verdict: Verdict): boolean {
  return verdict.kind === 'repeat' && row.outcome === undefined && row.resolutions?.at(-1)?.decision === 'repeat';
}

async function writeDecision(
  row: Stored<ParkableItem>,
  verdict: Verdict,
  decision: Decision,
  ledger: Ledger,
): Promise<{ readonly ok: true } | { readonly ok: false; readonly problem: string }> {
  const resolved = resolvedBy(row, verdict, decision);
  if (!resolved.ok) return resolved;
  if ((await ledger.write<ParkableItem>(row, resolved.item)) !== undefined) return { ok: true };
  // Somebody was first: what they made of it says what to tell.
  const current = await ledger.read<ParkableItem>(row.pk);
  const again = current === undefined ? undefined : resolvedBy(current, verdict, decision);
  const problem =
    again?.ok === false ? again.problem : `${row.pk} was changed by somebody else at this moment: look again`;
  return { ok: false, problem };
}

function resolvedBy(row: Stored<ParkableItem>, verdict: Verdict, decision: Decision): Resolved<ParkableItem> {
  switch (verdict.kind) {
    case 'applied':
      return resolveApplied(row, { ...decision, datasetId: verdict.datasetId });
    case 'repeat':
      return resolveRepeat(row, decision);
    case 'dismiss':
      return resolveDismiss(row, decision);
  }
}

async function sendKept(row: Stored<ParkableItem>, id: string, deps: CommandDeps): Promise<boolean> {
  const kept = row.parked;
  if (kept === undefined || kept.isMessageCut === true) return false;
  try {
    await deps.stage.send(kept.queue, kept.message);
    return true;
  } catch (error) {
    throw new CliError(
      `the decision about ${id} is written, but its message could not be sent: autopilot parked resolve '${row.pk}' --repeat sends it`,
      { exitCode: exitCodes.failed, code: 'MESSAGE_NOT_SENT', cause: error },
    );
  }
}

/** A message without a key of its own is a new message once it is sent again: its row gets no further outcome. */
async function nextOutcome(
  row: Stored<ParkableItem>,
  patience: Patience,
  ledger: Ledger,
  deps: CommandDeps,
): Promise<ResolveReport['next']> {
  if (row.kind === 'message') return undefined;
  if (row.kind === 'command') return waitForCommand(row.id, patience, deps);
  if (patience === undefined) return { outcome: 'sent' };
  const ended = await waitForOutcome(
    () => ledger.read<Exclude<ParkableItem, { kind: 'message' | 'command' }>>(row.pk),
    {
      patience,
      deps,
      describe: () => `${subjectOf(row)}: sent again; no outcome yet`,
    },
  );
  const datasetId = ended?.kind === 'upload' ? ended.datasetId : undefined;
  return { ...reportOf(ended), ...(datasetId === undefined ? {} : { datasetId }) };
}
