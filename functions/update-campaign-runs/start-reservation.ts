import { type BindingItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import {
  idForCommand,
  type IdForCommand,
  isUsed,
  newBinding,
  refuseId,
  returnId,
  useId,
  withLive,
} from './binding-rows.ts';
import { shortWaitMs, type Wait } from './before-call.ts';
import { conclude, type Conclusion, detailOf, parked, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { startWaitMs } from './doubts.ts';
import { freeGuard, reserveGuard } from './guard-rows.ts';
import type { RunPolicy } from './run-policy.ts';
import { isNewer, leaseRemainingMs, mayHaveBeenStarted, newRun } from './run-rows.ts';
import type { StartTimes } from './start-times.ts';

/** Few ids left: a person binds new ones in time. */
const lowBindingIds = 3;

/** A row that somebody else writes at the same time is tried again this often. */
const writeTries = 5;

/** A start on its way to its PATCH: the rows as they were read. */
export interface Start {
  readonly work: CommandWork;
  readonly deps: UpdateDeps;
  readonly policy: RunPolicy;
  /** Absent for a run that nobody configured. */
  readonly bindingName?: string;
  readonly binding: Stored<BindingItem> | undefined;
  readonly guard: Stored<GuardItem> | undefined;
  readonly id: IdForCommand;
  readonly campaignRunId: string;
  readonly row: Stored<RunItem> | undefined;
}

/** Which run id this start is about; or its end, where no id is left or a newer stop by name makes it moot. */
export async function findStart(
  work: CommandWork,
  policy: RunPolicy,
  guard: Stored<GuardItem> | undefined,
  deps: UpdateDeps,
): Promise<{ readonly start: Start } | { readonly result: RecordResult }> {
  const { command } = work;
  const name = policy.run?.name;
  const binding = name === undefined ? undefined : await deps.ledger.read<BindingItem>(ledgerKeys.binding(name));
  const id = chooseId(work, policy, binding);
  if (id === undefined) {
    return { result: await conclude(work, parked('NO_RUN_LEFT', `every id bound to ${name} has been used`), deps) };
  }
  if (command.run !== undefined && id.isNew && isNewer(binding?.newestStop, command)) {
    const moot = superseded(undefined, `a newer stop of ${name} (${binding?.newestStop?.id}) is recorded`);
    return { result: await conclude(work, moot, deps) };
  }
  if (name !== undefined && id.isNew && id.left < lowBindingIds) deps.onRunningLow(name, id.left);
  const row = await deps.ledger.read<RunItem>(ledgerKeys.run(id.campaignRunId));
  return {
    start: {
      work,
      deps,
      policy,
      binding,
      guard,
      id,
      row,
      campaignRunId: id.campaignRunId,
      ...(name === undefined ? {} : { bindingName: name }),
    },
  };
}

function chooseId(work: CommandWork, policy: RunPolicy, binding: BindingItem | undefined): IdForCommand | undefined {
  const { campaignRunId, id } = work.command;
  const bound = policy.run?.binding;
  const plenty = Infinity;
  if (campaignRunId !== undefined) {
    const isNew = bound?.kind === 'list' && (binding === undefined || !isUsed(binding, campaignRunId));
    return { campaignRunId, isNew, left: plenty };
  }
  if (bound?.kind === 'repeat') return { campaignRunId: bound.campaignRunId, isNew: true, left: plenty };
  return idForCommand(binding ?? newBinding(policy.run?.name ?? ''), bound?.campaignRunIds ?? [], id);
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

/** Reserves the guard item for this command. False: another start was first. */
export async function reserve(start: Start, times: StartTimes): Promise<boolean> {
  const { policy, campaignRunId, work, guard, deps } = start;
  const reserved = reserveGuard(guard, policy.guardName, { campaignRunId, commandId: work.command.id, times });
  return (await deps.ledger.write<GuardItem>(guard, reserved)) !== undefined;
}

/** Ends a start that is not to be sent: its reservation goes back unless it may be running, and its id unless it may have been started before. */
export async function giveUp(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, row, campaignRunId } = start;
  // Where a newer wish is recorded nobody sends this one any more.
  const isFenced = conclusion.outcome.kind === 'superseded' || endedBefore(start) !== undefined;
  const wait = isFenced ? undefined : await fence(start, conclusion);
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  if (row?.inDoubt?.id !== work.command.id) await freeReservation(start);
  if (!mayHaveBeenStarted(row)) {
    const isReturned = await changeBinding(start, (binding) => returnId(binding, campaignRunId, work.command.id));
    if (!isReturned) return later(shortWaitMs, 'the ids of this run changed under us');
  }
  return conclude(work, conclusion, deps);
}

/** Says in the run's row that this start has ended: an attempt which found it valid a moment ago, or by another clock, sends it no more. */
async function fence(start: Start, { outcome }: Conclusion): Promise<Wait | undefined> {
  const { work, deps, policy, row, campaignRunId } = start;
  const now = work.context.now();
  const heldMs = row === undefined ? 0 : leaseRemainingMs(row, { owner: work.context.attemptId, now });
  if (heldMs > 0) return { delayMs: Math.min(heldMs, shortWaitMs), why: 'another attempt holds this run' };
  const doubtMs = row === undefined ? 0 : startWaitMs(row, now);
  if (doubtMs > 0) return { delayMs: doubtMs, why: 'an earlier request for this run is in doubt' };
  const written = await deps.ledger.write<RunItem>(
    row,
    startEnded(row ?? newRun(campaignRunId, policy.run?.name), work, outcome),
  );
  return written === undefined ? { delayMs: shortWaitMs, why: 'the row of this run changed under us' } : undefined;
}

/** The row that knows how a start ended. */
export function startEnded(row: RunItem, work: CommandWork, outcome: Conclusion['outcome']): RunItem {
  const endedStart = {
    id: work.command.id,
    repeats: repeatsApproved(work),
    outcome: { ...outcome, ...detailOf(outcome) },
  };
  return { ...row, endedStart };
}

/** How an earlier attempt ended this start, where it died before it could say so in the command's row. */
export function endedBefore({ row, work, campaignRunId }: Start): Conclusion | undefined {
  const ended = row?.endedStart;
  if (ended?.id !== work.command.id || ended.repeats !== repeatsApproved(work)) return undefined;
  return { outcome: ended.outcome, campaignRunId };
}

/** How often people have ordered this command to be repeated; counted, because their clocks are not ours. */
export function repeatsApproved({ row }: CommandWork): number {
  return row?.resolutions?.filter(({ decision }) => decision === 'repeat').length ?? 0;
}

/** Ends a start that the gateway refused: the campaign is free for another; a repeat of the command takes another id. */
export async function endRefused(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, campaignRunId } = start;
  const end = conclusion.outcome.reason === 'FORBIDDEN' ? returnId : refuseId;
  await freeReservation(start);
  const isEnded = await changeBinding(start, (binding) => end(binding, campaignRunId, work.command.id));
  return isEnded ? conclude(work, conclusion, deps) : later(shortWaitMs, 'the ids of this run changed under us');
}

/** Frees the guard item if this command holds it. */
async function freeReservation({ deps, policy, work }: Start): Promise<void> {
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(policy.guardName));
  if (guard?.inFlight?.commandId !== work.command.id) return;
  await deps.ledger.write<GuardItem>(guard, freeGuard(guard));
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
