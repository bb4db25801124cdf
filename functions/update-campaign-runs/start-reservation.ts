import { type BindingItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { type IdForCommand, newBinding, refuseId, returnId, useId, withLive } from './binding-rows.ts';
import { shortWaitMs, type Wait } from './before-call.ts';
import { applied, conclude, type Conclusion, detailOf } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { startWaitMs } from './doubts.ts';
import { changeGuard } from './change-guard.ts';
import { reserveGuard, returnReservation, withoutReservation } from './guard-rows.ts';
import type { RunPolicy } from './run-policy.ts';
import { isNewer, leaseRemainingMs, mayHaveBeenStarted, newRun } from './run-rows.ts';
import type { StartTimes } from './start-times.ts';

/** A row that somebody else writes at the same time is tried again this often. */
const writeTries = 5;

/** Why a start waits whose guard item others write at the same time. */
export const guardChanged = 'the guard item of this campaign changed under us';

/** A start, whichever run id it will be about: the rows as they were read. */
export interface AskedStart {
  readonly work: CommandWork;
  readonly deps: UpdateDeps;
  readonly policy: RunPolicy;
  readonly binding: Stored<BindingItem> | undefined;
  readonly guard: Stored<GuardItem> | undefined;
}

/** A start on its way to its PATCH. */
export interface Start extends AskedStart {
  /** Absent for a run that nobody configured. */
  readonly bindingName?: string;
  readonly id: IdForCommand;
  readonly campaignRunId: string;
  readonly row: Stored<RunItem> | undefined;
}

/** Takes the id for this command and counts it as live, so that a stop by name reaches it. False: another start was first. */
export async function takeId(start: Start, now: Date): Promise<boolean> {
  const { bindingName, binding, campaignRunId, work, policy, deps } = start;
  if (bindingName === undefined) return true;
  const row = binding ?? newBinding(bindingName);
  const isListed = policy.run?.binding.kind === 'list';
  const taken = isListed ? useId(row, campaignRunId, work.command.id, now) : withLive(row, campaignRunId);
  if (binding?.live?.at(-1) === campaignRunId && taken.used === binding.used) return true;
  return (await deps.ledger.write<BindingItem>(binding, taken)) !== undefined;
}

/** Reserves the guard item for this command, and its place in the budget. False: another start was first. */
export async function reserve(start: Start, times: StartTimes): Promise<boolean> {
  const { policy, campaignRunId, work, guard, deps } = start;
  const { command, context } = work;
  const { timezone } = deps.config;
  const reserved = reserveGuard(guard, { command, policy, campaignRunId, times, timezone, now: context.now() });
  return (await deps.ledger.write<GuardItem>(guard, reserved)) !== undefined;
}

/** Ends a start that is not to be sent: its reservation goes back unless it may be running, and its id unless it may have been started before. */
export async function giveUp(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, row } = start;
  // Where a newer wish is recorded nobody sends this one any more.
  const isFenced = isNewer(row?.wish, work.command) || endedBefore(start) !== undefined;
  const wait = isFenced ? undefined : await fence(start, (before) => startEnded(before, work, conclusion));
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  const isFree = row?.inDoubt?.id === work.command.id || (await freeReservation(start));
  if (!isFree) return later(shortWaitMs, guardChanged);
  if (!(await giveIdBack(start))) return later(shortWaitMs, 'the ids of this run changed under us');
  return conclude(work, conclusion, deps);
}

/** Writes the run's row, so that an attempt at this start which found nothing against it a moment ago, or by another clock, sends it no more. */
export async function fence(start: Start, change: (row: RunItem) => RunItem): Promise<Wait | undefined> {
  const { work, deps, policy, row, campaignRunId } = start;
  const now = work.context.now();
  const heldMs = row === undefined ? 0 : leaseRemainingMs(row, { owner: work.context.attemptId, now });
  if (heldMs > 0) return { delayMs: Math.min(heldMs, shortWaitMs), why: 'another attempt holds this run' };
  const doubtMs = row === undefined ? 0 : startWaitMs(row, now);
  if (doubtMs > 0) return { delayMs: doubtMs, why: 'an earlier request for this run is in doubt' };
  const written = await deps.ledger.write<RunItem>(row, change(row ?? newRun(campaignRunId, policy.run?.name)));
  return written === undefined ? { delayMs: shortWaitMs, why: 'the row of this run changed under us' } : undefined;
}

/** Gives the id of this start back, unless it may have been started before. False: the ids would not hold still. */
export async function giveIdBack(start: Start): Promise<boolean> {
  const { row, campaignRunId, work } = start;
  if (mayHaveBeenStarted(row)) return true;
  return changeBinding(start, (binding) => returnId(binding, campaignRunId, work.command.id));
}

/** The row that knows how a start ended. */
export function startEnded(row: RunItem, work: CommandWork, { outcome, verdicts }: Conclusion): RunItem {
  const endedStart = {
    id: work.command.id,
    repeats: repeatsApproved(work),
    outcome: { ...outcome, ...detailOf(outcome) },
    ...(verdicts === undefined ? {} : { verdicts }),
  };
  return { ...row, endedStart };
}

/** The gateway said yes to an earlier attempt, which died before it could say so. */
export function appliedBefore({ row, work, campaignRunId }: Start): Conclusion {
  const judged = row?.judged?.id === work.command.id ? row.judged : undefined;
  return { ...applied(campaignRunId), ...(judged === undefined ? {} : { verdicts: judged.verdicts }) };
}

/** How an earlier attempt ended this start, where it died before it could say so in the command's row. */
export function endedBefore({ row, work, campaignRunId }: Start): Conclusion | undefined {
  const ended = row?.endedStart;
  if (ended?.id !== work.command.id || ended.repeats !== repeatsApproved(work)) return undefined;
  const { outcome, verdicts } = ended;
  return { outcome, campaignRunId, ...(verdicts === undefined ? {} : { verdicts }) };
}

/** How often people have ordered this command to be repeated; counted, because their clocks are not ours. */
export function repeatsApproved({ row }: CommandWork): number {
  return row?.resolutions?.filter(({ decision }) => decision === 'repeat').length ?? 0;
}

/** Ends a start that the gateway refused: the campaign is free for another; a repeat of the command takes another id. */
export async function endRefused(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, campaignRunId } = start;
  const end = conclusion.outcome.reason === 'FORBIDDEN' ? returnId : refuseId;
  if (!(await freeReservation(start))) return later(shortWaitMs, guardChanged);
  const isEnded = await changeBinding(start, (binding) => end(binding, campaignRunId, work.command.id));
  return isEnded ? conclude(work, conclusion, deps) : later(shortWaitMs, 'the ids of this run changed under us');
}

/** Frees the guard item of this command; its place in the budget only where it is proven that nothing was started. False: it would not hold still. */
async function freeReservation(start: Start): Promise<boolean> {
  const { deps, policy, work } = start;
  const { id } = work.command;
  const free = mayHaveBegun(start) ? withoutReservation : returnReservation;
  return changeGuard(policy.guardName, deps.ledger, (guard) => free(guard, id));
}

/** An attempt at this start was sent and is not known to have failed; or a newer start took over the row that would know. */
function mayHaveBegun({ row, work }: Start): boolean {
  if (row === undefined) return false;
  return row.judged?.id === work.command.id || (row.wish?.action === 'start' && isNewer(row.wish, work.command));
}

/** Changes the run's binding, whoever else writes it meanwhile. False: it would not hold still. */
async function changeBinding(
  { bindingName, deps, work }: Start,
  change: (binding: BindingItem) => BindingItem,
): Promise<boolean> {
  if (bindingName === undefined) return true;
  for (let tries = 0; tries < writeTries; tries += 1) {
    const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(bindingName));
    const isOurs = binding?.used.some((use) => use.commandId === work.command.id) === true;
    // Where the binding holds nothing of this command there is nothing to give back.
    if (binding === undefined || !isOurs) return true;
    if ((await deps.ledger.write<BindingItem>(binding, change(binding))) !== undefined) return true;
  }
  return false;
}
