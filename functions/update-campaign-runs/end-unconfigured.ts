import { type BindingItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import { later } from '../_runtime/outcome.ts';
import { shortWaitMs } from './before-call.ts';
import { ownUse } from './binding-rows.ts';
import { conclude, parked } from './conclude.ts';
import type { CommandResult, CommandWork, UpdateDeps } from './deps.ts';
import { evidenceOfDoubt } from './doubts.ts';
import { appliedBefore, fence, noteEndByName, startEnded } from './end-start.ts';
import { leaseRemainingMs } from './run-rows.ts';

/**
 * Ends a start that the configuration knows no run for. An attempt by an earlier deployment may have sent it, and the row of its run tells:
 * whoever repeats that must have looked at the gateway. One that is on its way sends it no more.
 */
export async function endUnconfigured(work: CommandWork, detail: string, deps: UpdateDeps): Promise<CommandResult> {
  const { ledger } = deps;
  const { id, run, campaignRunId } = work.command;
  const binding = run === undefined ? undefined : await ledger.read<BindingItem>(ledgerKeys.binding(run));
  const own = campaignRunId ?? (binding && ownUse(binding, id)?.campaignRunId);
  // A run that is started again and again uses no id: it is among those that are live.
  for (const one of binding?.live ?? []) {
    const row = one === own ? undefined : await ledger.read<RunItem>(ledgerKeys.run(one));
    if (row !== undefined && isSent(row, id)) return endSent(row, work, detail, deps);
  }
  const row = own === undefined ? undefined : await ledger.read<RunItem>(ledgerKeys.run(own));
  if (row !== undefined && isSent(row, id)) return endSent(row, work, detail, deps);

  const conclusion = parked('CONFIG', detail);
  const wait =
    own === undefined
      ? binding && (await noteEndByName({ work, deps, binding }, conclusion))
      : await fence({ work, deps, row, campaignRunId: own }, (before) => startEnded(before, work, conclusion));
  return wait === undefined ? conclude(work, conclusion, deps) : later(wait.delayMs, wait.why);
}

function isSent({ appliedStart, inDoubt }: RunItem, commandId: string): boolean {
  return appliedStart === commandId || inDoubt?.id === commandId;
}

async function endSent(row: RunItem, work: CommandWork, detail: string, deps: UpdateDeps): Promise<CommandResult> {
  const { command, context } = work;
  const { campaignRunId } = row;
  if (row.appliedStart === command.id) return conclude(work, appliedBefore({ row, work, campaignRunId }), deps);
  const isHeld = leaseRemainingMs(row, { owner: context.attemptId, now: context.now() }) > 0;
  if (isHeld) return later(shortWaitMs, 'another attempt holds this run');
  const text = `an earlier attempt was sent and never answered, and ${detail}; its stop stays armed`;
  return conclude(work, parked('START_OUTCOME_UNKNOWN', text, { campaignRunId, evidence: evidenceOfDoubt(row) }), deps);
}
