import { type BindingItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { changeRun, shortWaitMs } from './change-run.ts';
import { applied, conclude, parked, skipped, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { runNamed, unknownName } from './run-policy.ts';
import { beginUpdate, isNewer, leaseRemainingMs, newRun, released, updateApplied, withRefusals } from './run-rows.ts';
import { settle } from './send-start.ts';

/** Changes name and preserve of a run: it passes no guard, displaces no wish, and has a generation of its own. It repeats freely. */
export async function updateRun(work: CommandWork, deps: UpdateDeps): Promise<RecordResult> {
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
  const attempt = { owner: context.attemptId, now: context.now(), remainingMs: context.remainingMs() };
  const leaseMs = leaseRemainingMs(row, attempt);
  if (leaseMs > 0) return later(Math.min(leaseMs, shortWaitMs), 'another attempt holds this run');

  const held = await deps.ledger.write<RunItem>(stored, beginUpdate(row, attempt));
  if (held === undefined) return later(shortWaitMs, 'the row of this run changed under us');
  const { name, preserve } = command;
  const result = await changeRun({ campaignRunId, name, preserve }, held, work, deps);
  if (result.kind === 'applied') {
    await settle(deps.ledger, held, updateApplied(held, command));
    return conclude(work, applied(campaignRunId, {}, result.detail), deps);
  }
  await settle(
    deps.ledger,
    held,
    withRefusals(released(held), result.kind === 'not-applied' ? result.refusals : undefined),
  );
  if (result.kind !== 'refused') return later(result.delayMs, result.why);
  return conclude(work, parked(result.reason, result.detail, { campaignRunId, evidence: result.evidence }), deps);
}

/** The uuid that a run's name means now: the one that is live, the repeated one, or the one used last. */
async function currentRunId(name: string, deps: UpdateDeps): Promise<string | undefined> {
  const run = runNamed(name, deps.config);
  const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(name));
  const live = binding?.live?.at(-1);
  if (live !== undefined) return live;
  if (run?.binding.kind === 'repeat') return run.binding.campaignRunId;
  return binding?.used.at(-1)?.campaignRunId;
}
