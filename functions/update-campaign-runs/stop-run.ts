import { type BindingItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { changeRun } from './change-run.ts';
import { applied, conclude, parked, skipped, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import type { RunPolicy } from './run-policy.ts';
import {
  beginStop,
  doubtRemainingMs,
  freeGuard,
  isNewer,
  leaseRemainingMs,
  newBinding,
  newRun,
  released,
  stopApplied,
} from './run-rows.ts';
import { settle } from './send-start.ts';

/** Another attempt has the row: it is done in seconds. */
const shortWaitMs = 2000;

/** Where starts may overlap, a stop by name reaches back over this many starts. */
const overlappingStarts = 20;

/** Stops a run: no guard is asked, and it repeats until the gateway says yes. */
export async function stopRun(work: CommandWork, policy: RunPolicy, deps: UpdateDeps): Promise<RecordResult> {
  const { command } = work;
  const listed = command.run !== undefined && policy.run?.binding.kind === 'list' ? policy.run.name : undefined;
  if (listed === undefined) {
    const campaignRunId =
      command.campaignRunId ?? (policy.run?.binding.kind === 'repeat' ? policy.run.binding.campaignRunId : '');
    return stopAll([campaignRunId], work, policy, deps);
  }

  const binding = await recordStop(listed, work, deps);
  if (binding === undefined) return later(shortWaitMs, 'the ids of this run changed under us');
  const candidates = binding.used.slice(policy.overlap === 'allow' ? -overlappingStarts : -1);
  const nothing = skipped('NOTHING_TO_STOP', `no id of ${listed} has been used yet`);
  return candidates.length === 0
    ? conclude(work, nothing, deps)
    : stopAll(
        candidates.map((use) => use.campaignRunId),
        work,
        policy,
        deps,
      );
}

/** Notes the stop at the run's name, so that an older start that comes later takes no id. */
async function recordStop(run: string, work: CommandWork, deps: UpdateDeps): Promise<Stored<BindingItem> | undefined> {
  const { id, issuedAt } = work.command;
  const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(run));
  if (binding?.newestStop?.id === id || isNewer(binding?.newestStop, { id, issuedAt })) return binding;
  return deps.ledger.write<BindingItem>(binding, { ...(binding ?? newBinding(run)), newestStop: { id, issuedAt } });
}

async function stopAll(
  campaignRunIds: readonly string[],
  work: CommandWork,
  policy: RunPolicy,
  deps: UpdateDeps,
): Promise<RecordResult> {
  let stopped: string | undefined;
  let newer: string | undefined;
  for (const campaignRunId of campaignRunIds) {
    const result = await stopOne(campaignRunId, work, policy, deps);
    if (typeof result !== 'string') return result;
    if (result === 'stopped') stopped = campaignRunId;
    else newer = campaignRunId;
  }
  if (stopped === undefined) return conclude(work, superseded(newer, 'a newer command for this run is recorded'), deps);
  return conclude(work, applied(stopped), deps);
}

async function stopOne(
  campaignRunId: string,
  work: CommandWork,
  policy: RunPolicy,
  deps: UpdateDeps,
): Promise<'stopped' | 'superseded' | RecordResult> {
  const { command, context } = work;
  const stored = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
  const row = stored ?? newRun(campaignRunId, policy.run?.name);
  if (row.applied?.id === command.id) {
    await freeGuardOf(campaignRunId, policy, deps);
    return 'stopped';
  }
  if (isNewer(row.wish, command)) return 'superseded';
  const attempt = { owner: context.attemptId, now: context.now() };
  const leaseMs = leaseRemainingMs(row, attempt);
  if (leaseMs > 0) return later(Math.min(leaseMs, shortWaitMs), 'another attempt holds this run');

  // The wish is recorded at once, so that no start slips in while the doubt of an earlier one is waited out.
  const wished = await deps.ledger.write<RunItem>(stored, beginStop(row, command, attempt));
  if (wished === undefined) return later(shortWaitMs, 'the row of this run changed under us');
  const doubtMs = doubtRemainingMs(row, context.now());
  if (doubtMs > 0) {
    await settle(deps.ledger, wished, released(wished));
    return later(doubtMs, 'an earlier start of this run is in doubt: the stop goes out after it can land no more');
  }
  return sendStop(wished, work, policy, deps);
}

async function sendStop(
  wished: Stored<RunItem>,
  work: CommandWork,
  policy: RunPolicy,
  deps: UpdateDeps,
): Promise<'stopped' | RecordResult> {
  const { campaignRunId } = wished;
  // The word of the time of the start: no later configuration can orphan its stop.
  const status = wished.stopDue?.status ?? deps.config.gateway.status.stop;
  const result = await changeRun({ campaignRunId, status }, work, deps);

  switch (result.kind) {
    case 'applied':
      await settle(deps.ledger, wished, stopApplied(wished, work.command, work.context.now()));
      await freeGuardOf(campaignRunId, policy, deps);
      return 'stopped';
    case 'not-applied':
    case 'unknown':
      await settle(deps.ledger, wished, released(wished));
      return later(result.delayMs, result.why);
    case 'refused':
      await settle(deps.ledger, wished, released(wished));
      return conclude(work, parked(result.reason, result.detail, { campaignRunId, evidence: result.evidence }), deps);
  }
}

/** The reservation of a stopped run ends. Losing the race is harmless: only a newer start writes there. */
async function freeGuardOf(campaignRunId: string, policy: RunPolicy, deps: UpdateDeps): Promise<void> {
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(policy.guardName));
  if (guard?.inFlight?.campaignRunId !== campaignRunId) return;
  await deps.ledger.write<GuardItem>(guard, freeGuard(guard));
}
