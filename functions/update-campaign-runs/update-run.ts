import { type BindingItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import { later } from '../_runtime/outcome.ts';
import { shortWaitMs, type Wait, waitBeforeCalls } from './before-call.ts';
import { changeRun, type ChangeResult } from './change-run.ts';
import { applied, conclude, parked, skipped, superseded } from './conclude.ts';
import { type CommandResult, type CommandWork, laterAfter, type UpdateDeps } from './deps.ts';
import { sureMs } from './doubts.ts';
import { runNamed, unknownName } from './run-policy.ts';
import {
  beginUpdate,
  isNewer,
  leaseRemainingMs,
  newRun,
  updateAnswered,
  updateApplied,
  updateUnknown,
  withRefusals,
} from './run-rows.ts';

/** Changes name and preserve of a run: it passes no guard, displaces no wish, and has a generation of its own. It repeats freely. */
export async function updateRun(work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const { command, context } = work;
  const run = runNamed(command.run ?? '', deps.config);
  if (command.run !== undefined && run === undefined) {
    return conclude(work, parked('CONFIG', unknownName(command, deps.config)), deps);
  }
  const campaignRunId = command.campaignRunId ?? (await currentRunId(command.run ?? '', deps));
  if (campaignRunId === undefined) {
    return conclude(work, skipped('NOTHING_TO_UPDATE', `no id of ${command.run} has been used yet`), deps);
  }
  const stored = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
  const row = stored ?? newRun(campaignRunId, command.run);
  if (row.updated?.id === command.id) return conclude(work, applied(campaignRunId), deps);
  if (isNewer(row.updated, command)) {
    return conclude(work, superseded(campaignRunId, `a newer update (${row.updated?.id}) is applied`), deps);
  }
  const wait = waitBefore(row, work) ?? (await waitBeforeCalls(['runs'], work, deps));
  if (wait !== undefined) return later(wait.delayMs, wait.why);

  await deps.rateLimiter.take('runs');
  const attempt = { owner: context.attemptId, now: context.now(), remainingMs: context.remainingMs() };
  const sending = await deps.ledger.write<RunItem>(stored, beginUpdate(row, command, attempt));
  if (sending === undefined) return later(shortWaitMs, 'the row of this run changed under us');
  const { name, preserve } = command;
  const after = (result: ChangeResult) => rowAfterUpdate(result, sending, row, work);
  const result = await changeRun({ campaignRunId, name, preserve }, sending, after, work, deps);
  if (result.kind === 'applied') return conclude(work, applied(campaignRunId, {}, result.detail), deps);
  if (result.kind !== 'refused') return laterAfter(result.delayMs, result.why, result.evidence);
  return conclude(work, parked(result.reason, result.detail, { campaignRunId, evidence: result.evidence }), deps);
}

/** An update is in no hurry: it waits for whoever holds the row, and for what may still land. */
function waitBefore(row: RunItem, { command, context }: CommandWork): Wait | undefined {
  const now = context.now();
  const leaseMs = leaseRemainingMs(row, { owner: context.attemptId, now });
  if (leaseMs > 0) return { delayMs: Math.min(leaseMs, shortWaitMs), why: 'another attempt holds this run' };
  const otherUpdate = row.updateInDoubt?.id === command.id ? undefined : row.updateInDoubt;
  const delayMs = Math.max(sureMs(row.inDoubt, now), sureMs(otherUpdate, now));
  return delayMs > 0 ? { delayMs, why: 'an earlier request for this run is in doubt' } : undefined;
}

function rowAfterUpdate(result: ChangeResult, sending: RunItem, before: RunItem, work: CommandWork): RunItem {
  const { command, context } = work;
  if (result.kind === 'applied') return updateApplied(sending, before, command);
  if (result.kind === 'unknown') return updateUnknown(sending, command, context.now());
  return withRefusals(updateAnswered(sending, before), result.kind === 'not-applied' ? result.refusals : undefined);
}

/** The uuid that a run's name means now: the one that is live, the repeated one, or the one used last. */
async function currentRunId(name: string, deps: UpdateDeps): Promise<string | undefined> {
  const run = runNamed(name, deps.config);
  const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(name));
  const live = binding?.live?.at(-1);
  if (live !== undefined) return live;
  if (run?.pool.kind === 'repeat') return run.pool.campaignRunId;
  return binding?.used.at(-1)?.campaignRunId;
}
