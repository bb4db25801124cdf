import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { Decision } from '#shared/ledger/resolve-parked.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import { resolvedBy, type Verdict } from './resolve-rows.ts';
import type { StageMode } from '../stage/stage-config.ts';

/** What a decision would do to rows, before any of it is done. */
export interface ResolvePlan {
  readonly todo: readonly Stored<ParkableRow>[];
  /** Rows that stay as they are, and why. */
  readonly left: readonly { readonly row: Stored<ParkableRow>; readonly problem: string }[];
}

/** Decides for each row whether the decision may be taken. Pure: the same rules as the ones that write it. */
export function planResolve(
  rows: readonly Stored<ParkableRow>[],
  {
    verdict,
    decision,
    acceptsSecondEffect,
    mode,
  }: {
    readonly verdict: Verdict;
    readonly decision: Decision;
    readonly acceptsSecondEffect: boolean;
    /** What the stage does with a message that is sent to it now. */
    readonly mode: StageMode['mode'];
  },
): ResolvePlan {
  const isLookedAt = rows.length === 1;
  const judged = rows.map((row) => {
    const resolved = resolvedBy(row, verdict, decision);
    if (!resolved.ok) return { row, problem: resolved.problem };
    const otherMode = verdict.kind === 'dismiss' ? undefined : problemOfMode(row, mode);
    if (otherMode !== undefined) return { row, problem: otherMode };
    const isRisk = verdict.kind === 'repeat' && !acceptsSecondEffect && mayMakeSecondEffect(row, { isLookedAt });
    return { row, problem: isRisk ? secondEffect : undefined };
  });
  return {
    todo: judged.filter(({ problem }) => problem === undefined).map(({ row }) => row),
    left: judged.flatMap(({ row, problem }) => (problem === undefined ? [] : [{ row, problem }])),
  };
}

/** A worker knows the rows of its own mode: it would take the message for new, and this row would wait for ever. */
function problemOfMode(row: Stored<ParkableRow>, mode: StageMode['mode']): string | undefined {
  if (mode === 'observe' && !isObserved(row)) {
    return "the stage only observes and would not do it: decide again once it acts (mode: 'act'), or --dismiss it";
  }
  // A message without a key of its own may be one of the acting stage that waited for it too long: the worker ignores those of the other.
  if (mode === 'act' && isObserved(row) && row.kind !== 'message') {
    return 'it was only observed, and the stage acts now: what is still wanted is sent or uploaded again, --dismiss this one';
  }
  return undefined;
}

const secondEffect =
  'a repeat may do it a second time at the gateway: look there, then resolve it by its own id (--accept-second-effect repeats it all the same)';

/** A person who names one row by its id has looked at the gateway; if the effect is certain, that does not help either. */
function mayMakeSecondEffect({ outcome }: ParkableRow, { isLookedAt }: { readonly isLookedAt: boolean }): boolean {
  const reason = outcome?.reason;
  if (reason === undefined || !isParkReason(reason)) return false;
  const { mayDouble, decisions } = parkReasonFacts(reason);
  return mayDouble === true && !(isLookedAt && decisions.includes('repeat'));
}
