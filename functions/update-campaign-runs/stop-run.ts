import { type BindingItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { idsToStop, newBinding, withoutLive } from './binding-rows.ts';
import { changeRun, shortWaitMs } from './change-run.ts';
import { applied, conclude, type Conclusion, parked, skipped, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { runNamed, unknownName } from './run-policy.ts';
import {
  beginStop,
  doubtRemainingMs,
  freeGuard,
  isNewer,
  leaseRemainingMs,
  leftInDoubt,
  newRun,
  released,
  stopApplied,
  stopRefused,
  withRefusals,
} from './run-rows.ts';
import { settle } from './send-start.ts';

/** How one run of a stop ended. */
type Stopped =
  | { readonly kind: 'stopped'; readonly campaignRunId: string; readonly detail?: string }
  | { readonly kind: 'superseded'; readonly campaignRunId: string; readonly detail: string }
  | { readonly kind: 'refused'; readonly conclusion: Conclusion }
  | { readonly kind: 'later'; readonly result: RecordResult };

/** Stops a run: no guard is asked, and it repeats until the gateway says yes. By name it stops every run that is live under that name. */
export async function stopRun(work: CommandWork, deps: UpdateDeps): Promise<RecordResult> {
  const { command } = work;
  if (command.campaignRunId !== undefined) return stopAll([command.campaignRunId], work, deps);
  const name = command.run ?? '';
  const run = runNamed(name, deps.config);
  const binding = await recordStop(name, run !== undefined, work, deps);
  if (binding === 'lost') return later(shortWaitMs, 'the ids of this run changed under us');
  if (binding === undefined) return conclude(work, parked('CONFIG', unknownName(command, deps.config)), deps);

  const ids = idsToStop(binding);
  if (ids.length > 0) return stopAll(ids, work, deps);
  if (run?.binding.kind === 'repeat') return stopAll([run.binding.campaignRunId], work, deps);
  return conclude(work, skipped('NOTHING_TO_STOP', `no id of ${name} has been used yet`), deps);
}

/** Notes the stop at the run's name, so that an older start that comes later takes no id. Absent: nobody knows such a name. */
async function recordStop(
  name: string,
  isConfigured: boolean,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<BindingItem | 'lost' | undefined> {
  const { id, issuedAt } = work.command;
  const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(name));
  if (binding === undefined && !isConfigured) return undefined;
  if (binding?.newestStop?.id === id || isNewer(binding?.newestStop, { id, issuedAt })) return binding;
  const noted = { ...(binding ?? newBinding(name)), newestStop: { id, issuedAt } };
  return (await deps.ledger.write<BindingItem>(binding, noted)) ?? 'lost';
}

/** Stops each, the newest first; one that is refused or has to wait keeps none of the others running. */
async function stopAll(campaignRunIds: readonly string[], work: CommandWork, deps: UpdateDeps): Promise<RecordResult> {
  const ends: Stopped[] = [];
  for (const campaignRunId of campaignRunIds) ends.push(await stopOne(campaignRunId, work, deps));

  const late = ends.find((end) => end.kind === 'later');
  if (late !== undefined) return late.result;
  const refused = ends.find((end) => end.kind === 'refused');
  if (refused !== undefined) return conclude(work, refused.conclusion, deps);
  const stopped = ends.find((end) => end.kind === 'stopped');
  if (stopped !== undefined)
    return conclude(
      work,
      applied(stopped.campaignRunId, {}, stopped.detail ?? `run ${stopped.campaignRunId} stopped`),
      deps,
    );
  const moot = ends.find((end) => end.kind === 'superseded');
  return conclude(work, superseded(moot?.campaignRunId, moot?.detail ?? 'a newer command is recorded'), deps);
}

async function stopOne(campaignRunId: string, work: CommandWork, deps: UpdateDeps): Promise<Stopped> {
  const { command, context } = work;
  const stored = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
  const row = stored ?? newRun(campaignRunId, command.run);
  if (row.applied?.id === command.id) return closeStopped(row, deps);
  if (isNewer(row.wish, command)) {
    return { kind: 'superseded', campaignRunId, detail: `a newer ${row.wish?.action} (${row.wish?.id}) is recorded` };
  }
  if (command.origin.kind === 'watcher' && row.stopDue === undefined) {
    // It was due when it was sent; another stop was first.
    return { kind: 'superseded', campaignRunId, detail: `stopped already (${row.applied?.id})` };
  }
  const attempt = { owner: context.attemptId, now: context.now(), remainingMs: context.remainingMs() };
  const leaseMs = leaseRemainingMs(row, attempt);
  if (leaseMs > 0) return waiting(Math.min(leaseMs, shortWaitMs), 'another attempt holds this run');

  // The wish is recorded at once, so that no start slips in while the doubt of an earlier one is waited out.
  const wished = await deps.ledger.write<RunItem>(stored, beginStop(row, command, attempt));
  if (wished === undefined) return waiting(shortWaitMs, 'the row of this run changed under us');
  const doubtMs = row.inDoubt?.id === command.id ? 0 : doubtRemainingMs(row, context.now());
  if (doubtMs === 0) return sendStop(wished, work, deps);
  await settle(deps.ledger, wished, released(wished));
  return waiting(doubtMs, 'an earlier request for this run is in doubt: the stop goes out after it can land no more');
}

async function sendStop(wished: Stored<RunItem>, work: CommandWork, deps: UpdateDeps): Promise<Stopped> {
  const { campaignRunId } = wished;
  const { command, context } = work;
  // The word of the time of the start: no later configuration can orphan its stop.
  const status = wished.stopDue?.status ?? deps.config.gateway.status.stop;
  const result = await changeRun({ campaignRunId, status }, wished, work, deps);

  switch (result.kind) {
    case 'applied': {
      const row = await settle(deps.ledger, wished, stopApplied(wished, command, context.now()));
      return closeStopped(row, deps, result.detail);
    }
    case 'not-applied':
      await settle(deps.ledger, wished, withRefusals(released(wished), result.refusals));
      return waiting(result.delayMs, result.why);
    case 'unknown':
      // Nothing else is sent for this run until it can land no more; the stop itself repeats freely.
      await settle(deps.ledger, wished, leftInDoubt(wished, command, context.now()));
      return waiting(result.delayMs, result.why);
    case 'refused': {
      const wasStopped = wished.applied?.action === 'stop' ? wished.applied : undefined;
      await settle(deps.ledger, wished, stopRefused(wished, command));
      if (wasStopped !== undefined) {
        const detail = `stopped since ${wasStopped.at} (${wasStopped.id}); the gateway says: ${result.detail}`;
        return { kind: 'stopped', campaignRunId, detail };
      }
      const { reason, detail, evidence } = result;
      return { kind: 'refused', conclusion: parked(reason, detail, { campaignRunId, evidence }) };
    }
  }
}

/** A stopped run frees its campaign and is live no more. Losing either race is harmless: the next stop by name asks once more. */
async function closeStopped(row: RunItem, deps: UpdateDeps, detail?: string): Promise<Stopped> {
  const { campaignRunId, guardName, run } = row;
  if (guardName !== undefined) {
    const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(guardName));
    if (guard?.inFlight?.campaignRunId === campaignRunId) await deps.ledger.write<GuardItem>(guard, freeGuard(guard));
  }
  if (run !== undefined) {
    const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(run));
    if (binding?.live?.includes(campaignRunId) === true) {
      await deps.ledger.write<BindingItem>(binding, withoutLive(binding, campaignRunId));
    }
  }
  return { kind: 'stopped', campaignRunId, ...(detail === undefined ? {} : { detail }) };
}

function waiting(delayMs: number, why: string): Stopped {
  return { kind: 'later', result: later(delayMs, why) };
}
