import { type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { ParkReason } from '../../shared/vocabulary/reason-codes.ts';
import { later } from '../_runtime/outcome.ts';
import { shortWaitMs } from './before-call.ts';
import { conclude, type Conclusion, parked } from './conclude.ts';
import type { CommandResult, CommandWork, Evidence, UpdateDeps } from './deps.ts';
import { evidenceOfDoubt } from './doubts.ts';
import { endUnconfigured } from './end-unconfigured.ts';
import { appliedBefore, endWithoutId, giveUp, idsChanged } from './end-start.ts';
import { findStart } from './find-start.ts';
import { findStartPolicy } from './run-policy.ts';
import { hasPendingStop, leaseRemainingMs, stopRefused } from './run-rows.ts';
import { runsToStop } from './stop-run.ts';

/** Why a command is not tried any more. */
export interface LastWord {
  readonly reason: Extract<ParkReason, 'HORIZON_EXCEEDED' | 'CRASH_LOOP'>;
  readonly detail: string;
  readonly evidence?: Evidence;
}

/**
 * Parks a command that was tried for long enough. What it holds is given back, and what may have come of it is said: nothing that may have been
 * sent loses its stop, its id or its place.
 */
export async function giveUpCommand(work: CommandWork, word: LastWord, deps: UpdateDeps): Promise<CommandResult> {
  switch (work.command.action) {
    case 'start':
      return giveUpStart(work, word, deps);
    case 'stop':
      return giveUpStop(work, word, deps);
    case 'update':
      return conclude(work, parkedWith(word), deps);
  }
}

async function giveUpStart(work: CommandWork, word: LastWord, deps: UpdateDeps): Promise<CommandResult> {
  const found = await findStartPolicy(work.command, deps.config, deps.ledger);
  if (!found.ok) return endUnconfigured(work, found.detail, deps);
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(found.policy.guards.target));
  const looked = await findStart(work, found.policy, guard, deps);
  if ('result' in looked) return looked.result;
  if ('withoutId' in looked) return endWithoutId(looked.withoutId, parkedWith(word));
  const { start } = looked;
  const { row, campaignRunId } = start;
  if (row !== undefined && isHeld(row, work)) return later(shortWaitMs, 'another attempt holds this run');
  if (row?.appliedStart === work.command.id) return conclude(work, appliedBefore(start), deps);
  if (row?.inDoubt?.id !== work.command.id) return giveUp(start, parkedWith(word, campaignRunId));

  // Whatever it was given up for: who repeats it must have looked at the gateway.
  const detail = `${word.detail}, and one that was sent was never answered; its stop stays armed`;
  return conclude(
    work,
    parked('START_OUTCOME_UNKNOWN', detail, { campaignRunId, evidence: evidenceOfDoubt(row) }),
    deps,
  );
}

/** No start waits for a stop that nobody sends any more; what is armed stays armed. */
async function giveUpStop(work: CommandWork, word: LastWord, deps: UpdateDeps): Promise<CommandResult> {
  const found = await runsToStop(work, deps);
  if (found === 'lost') return later(shortWaitMs, idsChanged);
  if ('outcome' in found) return conclude(work, found, deps);
  for (const campaignRunId of found) {
    const row = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
    if (row === undefined || row.wish?.id !== work.command.id || !hasPendingStop(row)) continue;
    const written = isHeld(row, work)
      ? undefined
      : await deps.ledger.write<RunItem>(row, stopRefused(row, work.command));
    if (written === undefined) return later(shortWaitMs, 'another attempt holds this run');
  }
  const detail = `${word.detail}; the run may still be running: nobody stops it any more, so stop it at the gateway by hand if it must end now`;
  return conclude(work, parkedWith({ ...word, detail }, found.length === 1 ? found[0] : undefined), deps);
}

function isHeld(row: RunItem, { context }: CommandWork): boolean {
  return leaseRemainingMs(row, { owner: context.attemptId, now: context.now() }) > 0;
}

function parkedWith({ reason, detail, evidence }: LastWord, campaignRunId?: string): Conclusion {
  return parked(reason, detail, {
    ...(campaignRunId === undefined ? {} : { campaignRunId }),
    ...(evidence === undefined ? {} : { evidence }),
  });
}
