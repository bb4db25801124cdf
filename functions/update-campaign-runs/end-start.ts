import { type BindingItem, type EndedStart, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { shortWaitMs, type Wait } from './before-call.ts';
import { newBinding, noteEndedStart, refuseId, returnId, usesOtherId } from './binding-rows.ts';
import { changeGuard } from './change-guard.ts';
import { applied, conclude, type Conclusion, detailOf } from './conclude.ts';
import type { CommandWork } from './deps.ts';
import { startWaitMs } from './doubts.ts';
import { newGuard, returnReservation, withoutReservation } from './guard-rows.ts';
import { isNewer, leaseRemainingMs, mayHaveBeenStarted, newRun } from './run-rows.ts';
import { type AskedStart, guardChanged, repeatsApproved, type Start } from './start-reservation.ts';

/** A row that somebody else writes at the same time is tried again this often. */
const writeTries = 5;

/** Why a start waits whose binding others write at the same time. */
export const idsChanged = 'the ids of this run changed under us';

/**
 * Ends a start that is not to be sent: its reservation goes back unless it may be running, and its id unless it may have been started before.
 * Run, binding and guard item are written whether or not they hold anything of it, in this order: an attempt at it reads them the other way
 * round, so that whatever it takes after this either fails its condition or is found and given back.
 */
export async function giveUp(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, row, campaignRunId } = start;
  // Where a newer wish is recorded nobody sends this one any more.
  const isFenced =
    isNewer(row?.wish, work.command) || endedBefore(start) !== undefined || endedByName(start) !== undefined;
  const wait = isFenced ? undefined : await fence(start, (before) => startEnded(before, work, conclusion));
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  const ended = { ...endOf(work, conclusion), campaignRunId };
  const give = mayHaveBeenStarted(row) ? (binding: BindingItem) => binding : returning(start);
  if (!(await changeBinding(start, (binding) => noteEndedStart(give(binding), ended)))) {
    return later(shortWaitMs, idsChanged);
  }
  const isFree = row?.inDoubt?.id === work.command.id || (await freeReservation(start));
  return isFree ? conclude(work, conclusion, deps) : later(shortWaitMs, guardChanged);
}

/**
 * Ends a start for which there is no id. It is noted in the binding that was read: where another attempt has taken an id since, this one comes
 * back and finds it; from here on none takes one.
 */
export async function endWithoutId(asked: AskedStart, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps } = asked;
  const wait = await noteEndByName(asked, conclusion);
  return wait === undefined ? conclude(work, conclusion, deps) : later(wait.delayMs, wait.why);
}

/** Notes in the binding that was read how a start ended that has no id by it. */
export async function noteEndByName(
  { work, deps, binding }: Pick<AskedStart, 'work' | 'deps' | 'binding'>,
  conclusion: Conclusion,
): Promise<Wait | undefined> {
  const before = binding ?? newBinding(work.command.run ?? '');
  const noted = await deps.ledger.write<BindingItem>(binding, noteEndedStart(before, endOf(work, conclusion)));
  return noted === undefined ? { delayMs: shortWaitMs, why: idsChanged } : undefined;
}

/** Ends a start that the gateway refused: the campaign is free for another; a repeat of the command takes another id. */
export async function endRefused(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, campaignRunId } = start;
  if (!(await freeReservation(start))) return later(shortWaitMs, guardChanged);
  const ended = { ...endOf(work, conclusion), campaignRunId };
  const isEnded = await changeBinding(start, (binding) =>
    conclusion.outcome.reason === 'FORBIDDEN'
      ? noteEndedStart(returning(start)(binding), ended)
      : refuseId(binding, campaignRunId, work.command.id),
  );
  return isEnded ? conclude(work, conclusion, deps) : later(shortWaitMs, idsChanged);
}

/** Writes the run's row, so that an attempt at this start which found nothing against it a moment ago, or by another clock, sends it no more. */
export async function fence(
  start: Pick<Start, 'work' | 'deps' | 'row' | 'campaignRunId' | 'bindingName'>,
  change: (row: RunItem) => RunItem,
): Promise<Wait | undefined> {
  const { work, deps, row, campaignRunId, bindingName } = start;
  const now = work.context.now();
  const heldMs = row === undefined ? 0 : leaseRemainingMs(row, { owner: work.context.attemptId, now });
  if (heldMs > 0) return { delayMs: Math.min(heldMs, shortWaitMs), why: 'another attempt holds this run' };
  const doubtMs = row === undefined ? 0 : startWaitMs(row, now);
  if (doubtMs > 0) return { delayMs: doubtMs, why: 'an earlier request for this run is in doubt' };
  const written = await deps.ledger.write<RunItem>(row, change(row ?? newRun(campaignRunId, bindingName)));
  return written === undefined ? { delayMs: shortWaitMs, why: 'the row of this run changed under us' } : undefined;
}

/** Gives the id of this start back, unless it may have been started before. False: the ids would not hold still. */
export async function giveIdBack(start: Start): Promise<boolean> {
  return mayHaveBeenStarted(start.row) || changeBinding(start, returning(start));
}

/** The row that knows how a start ended. */
export function startEnded(row: RunItem, work: CommandWork, conclusion: Conclusion): RunItem {
  return { ...row, endedStart: endOf(work, conclusion) };
}

/** The gateway said yes to an earlier attempt, which died before it could say so. */
export function appliedBefore({
  row,
  work,
  campaignRunId,
}: Pick<Start, 'work' | 'campaignRunId'> & { readonly row: RunItem | undefined }): Conclusion {
  const judged = row?.judged?.id === work.command.id ? row.judged : undefined;
  return { ...applied(campaignRunId), ...(judged === undefined ? {} : { verdicts: judged.verdicts }) };
}

/** How an earlier attempt ended this start, where it died before it could say so in the command's row. */
export function endedBefore({ row, work, campaignRunId }: Start): Conclusion | undefined {
  const ended = row?.endedStart;
  return ended !== undefined && isEndOf(ended, work) ? { ...concluded(ended), campaignRunId } : undefined;
}

/** The same by the name of its run, also where it has no id any more or never had one. */
export function endedByName({ binding, work }: AskedStart): Conclusion | undefined {
  const ended = binding?.ended?.find((one) => isEndOf(one, work));
  return ended && concluded(ended);
}

function endOf(work: CommandWork, { outcome, verdicts }: Conclusion): EndedStart {
  return {
    id: work.command.id,
    repeats: repeatsApproved(work),
    outcome: { ...outcome, ...detailOf(outcome) },
    ...(verdicts === undefined ? {} : { verdicts }),
  };
}

/** A person's repeat begins anew. */
function isEndOf({ id, repeats }: EndedStart, work: CommandWork): boolean {
  return id === work.command.id && repeats === repeatsApproved(work);
}

function concluded({ outcome, verdicts, campaignRunId }: EndedStart): Conclusion {
  return {
    outcome,
    ...(campaignRunId === undefined ? {} : { campaignRunId }),
    ...(verdicts === undefined ? {} : { verdicts }),
  };
}

/**
 * Frees the guard item of this command; its place in the budget only where it is proven that nothing was started. Written also where it held
 * nothing: whoever read the item before can reserve it no more. False: it would not hold still.
 */
async function freeReservation(start: Start): Promise<boolean> {
  const { deps, policy, work } = start;
  const { id } = work.command;
  const free = mayHaveBegun(start) ? withoutReservation : returnReservation;
  return changeGuard(policy.guards.target, deps.ledger, (guard) => ({
    ...free(guard ?? newGuard(policy.guards.target), id),
  }));
}

/** An attempt at this start was sent and is not known to have failed; or a newer start took over the row that would know. */
function mayHaveBegun({ row, work }: Start): boolean {
  if (row === undefined) return false;
  return row.judged?.id === work.command.id || (row.wish?.action === 'start' && isNewer(row.wish, work.command));
}

function returning({ campaignRunId, work }: Start): (binding: BindingItem) => BindingItem {
  return (binding) => returnId(binding, campaignRunId, work.command.id);
}

/** Changes the run's binding, whoever else writes it meanwhile. False: it would not hold still, or another attempt has taken another id. */
async function changeBinding(
  { bindingName, campaignRunId, deps, work }: Start,
  change: (binding: BindingItem) => BindingItem,
): Promise<boolean> {
  if (bindingName === undefined) return true;
  for (let tries = 0; tries < writeTries; tries += 1) {
    const stored = await deps.ledger.read<BindingItem>(ledgerKeys.binding(bindingName));
    const binding = stored ?? newBinding(bindingName);
    if (usesOtherId(binding, campaignRunId, work.command.id)) return false;
    const changed = change(binding);
    if (changed === binding) return true;
    if ((await deps.ledger.write<BindingItem>(stored, changed)) !== undefined) return true;
  }
  return false;
}
