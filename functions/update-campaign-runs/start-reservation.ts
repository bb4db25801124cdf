import { type BindingItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import type { RecordResult } from '../_runtime/outcome.ts';
import { conclude, type Conclusion, parked, skipped, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { type GuardVerdict, judgeStart } from './guards.ts';
import type { RunPolicy } from './run-policy.ts';
import {
  freeGuard,
  idForCommand,
  isNewer,
  newBinding,
  reserveGuard,
  returnId,
  type StartTimes,
  useId,
} from './run-rows.ts';

/** Few ids left: a person binds new ones in time. */
const lowBindingIds = 3;

/** A start on its way to its PATCH: the rows as they were read. */
export interface Start {
  readonly work: CommandWork;
  readonly deps: UpdateDeps;
  readonly policy: RunPolicy;
  readonly binding: Stored<BindingItem> | undefined;
  readonly guard: Stored<GuardItem> | undefined;
  readonly campaignRunId: string;
  readonly row: Stored<RunItem> | undefined;
  /** The id is the next of the list, not yet taken for this command. */
  readonly isIdNew: boolean;
}

/** Which run id this start is about, and whether anything newer makes it moot already. */
export async function findStart(
  work: CommandWork,
  policy: RunPolicy,
  deps: UpdateDeps,
): Promise<{ readonly start: Start } | { readonly result: RecordResult }> {
  const { command } = work;
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(policy.guardName));
  const own = { work, deps, policy, guard };
  if (command.run === undefined || policy.run?.binding.kind !== 'list') {
    const campaignRunId =
      command.campaignRunId ?? (policy.run?.binding.kind === 'repeat' ? policy.run.binding.campaignRunId : '');
    const row = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
    return { start: { ...own, binding: undefined, campaignRunId, row, isIdNew: false } };
  }

  const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(policy.run.name));
  const use = idForCommand(binding ?? newBinding(policy.run.name), policy.run.binding.campaignRunIds, command.id);
  if (use === undefined) {
    const verdict = judge(work, policy, guard);
    if (verdict.verdict === 'skip')
      return { result: await conclude(work, skipped(verdict.reason, verdict.detail), deps) };
    return {
      result: await conclude(work, parked('NO_RUN_LEFT', `every id bound to ${policy.run.name} has been used`), deps),
    };
  }
  if (isNewer(binding?.newestStop, command) && use.isNew) {
    const moot = superseded(undefined, `a newer stop of ${policy.run.name} (${binding?.newestStop?.id}) is recorded`);
    return { result: await conclude(work, moot, deps) };
  }
  const row = await deps.ledger.read<RunItem>(ledgerKeys.run(use.campaignRunId));
  if (use.isNew && use.left < lowBindingIds) deps.onRunningLow(policy.run.name, use.left);
  return { start: { ...own, binding, campaignRunId: use.campaignRunId, row, isIdNew: use.isNew } };
}

/** A person's approval of a repeat starts the validity anew. */
export function validSince(work: CommandWork): Date {
  return new Date(work.row?.resolutions?.at(-1)?.at ?? work.command.issuedAt);
}

/** Asks the guards about this start, now. */
export function judge(work: CommandWork, policy: RunPolicy, guard: GuardItem | undefined): GuardVerdict {
  return judgeStart({ command: work.command, policy, guard, now: work.context.now(), validSince: validSince(work) });
}

/** Takes the id for this command; the same command finds it again. False: another start was first. */
export async function takeId(start: Start, now: Date): Promise<boolean> {
  const name = start.policy.run?.name;
  if (!start.isIdNew || name === undefined) return true;
  const used = useId(start.binding ?? newBinding(name), start.campaignRunId, start.work.command.id, now);
  return (await start.deps.ledger.write<BindingItem>(start.binding, used)) !== undefined;
}

/** Reserves the guard item for this command. False: another start was first. */
export async function reserve(start: Start, times: StartTimes): Promise<boolean> {
  const { policy, campaignRunId, work } = start;
  const reserved = reserveGuard(start.guard, policy, { campaignRunId, commandId: work.command.id, times });
  return (await start.deps.ledger.write<GuardItem>(start.guard, reserved)) !== undefined;
}

/** Ends a start that was not sent: its id and its reservation go back. */
export async function giveUp(start: Start, conclusion: Conclusion): Promise<RecordResult> {
  const { work, deps, binding, row } = start;
  await freeReservation(start);
  const mayHaveBeenStarted = row?.applied !== undefined || row?.inDoubt !== undefined;
  if (binding !== undefined && !start.isIdNew && !mayHaveBeenStarted) {
    await deps.ledger.write<BindingItem>(binding, returnId(binding, work.command.id));
  }
  return conclude(work, conclusion, deps);
}

/** Frees the guard item if this command holds it. */
export async function freeReservation({ deps, policy, work }: Start): Promise<void> {
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(policy.guardName));
  if (guard?.inFlight?.commandId !== work.command.id) return;
  await deps.ledger.write<GuardItem>(guard, freeGuard(guard));
}
