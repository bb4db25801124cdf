import type { BindingItem, GuardItem, RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { type IdForCommand, newBinding, useId, withLive } from './binding-rows.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { reserveGuard } from './guard-rows.ts';
import type { RunPolicy } from './run-policy.ts';
import type { StartTimes } from './start-times.ts';

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
  const isListed = policy.run?.pool.kind === 'list';
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

/** How often people have ordered this command to be repeated; counted, because their clocks are not ours. */
export function repeatsApproved({ row }: CommandWork): number {
  return row?.resolutions?.filter(({ decision }) => decision === 'repeat').length ?? 0;
}
