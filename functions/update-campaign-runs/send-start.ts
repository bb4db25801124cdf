import { hash } from 'node:crypto';
import type { RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { later } from '../_runtime/outcome.ts';
import { hasTimeForCall, shortWaitMs } from './before-call.ts';
import { changeRun, type ChangeResult } from './change-run.ts';
import { applied, conclude, parked } from './conclude.ts';
import { type CommandResult, laterAfter } from './deps.ts';
import { startWaitMs } from './doubts.ts';
import { endRefused, startEnded } from './end-start.ts';
import type { RunPolicy } from './run-policy.ts';
import { startApplied, startUnknown, startWithdrawn } from './run-rows.ts';
import { assertSettled } from './settle.ts';
import type { Start } from './start-reservation.ts';
import { startInput } from './start-input.ts';
import type { StartTimes } from './start-times.ts';

/**
 * Sends the PATCH of a start and writes down what became of it.
 * @param sending - the row as it was written for this attempt
 * @param before - the row as it was before: what comes back where this attempt is proven not applied
 */
export async function sendStart(
  start: Start,
  sending: Stored<RunItem>,
  before: RunItem,
  times: StartTimes,
): Promise<CommandResult> {
  const { work, deps, policy, campaignRunId } = start;
  if (!hasTimeForCall(work.context, deps)) {
    // Frozen since the row was written: whoever came meanwhile must not be surprised.
    assertSettled(await deps.ledger.write<RunItem>(sending, startWithdrawn(before, before.refusals)), sending);
    return later(shortWaitMs, 'too little time left for a call');
  }
  const after = (result: ChangeResult) => rowAfterStart(result, start, sending, before);
  const input = startInput({ command: work.command, policy, campaignRunId }, times, deps.config);
  const idempotencyKey = idempotencyKeyOf(work.command.id);
  const result = await changeRun({ ...input, idempotencyKey }, sending, after, work, deps);
  switch (result.kind) {
    case 'applied':
      return conclude(
        work,
        {
          ...applied(campaignRunId, startFacts(times, policy), result.detail ?? startedText(start, times)),
          verdicts: sending.judged?.verdicts,
        },
        deps,
      );
    case 'not-applied':
      return laterAfter(result.delayMs, result.why, result.evidence);
    case 'unknown': {
      const now = work.context.now();
      const waitMs = startWaitMs(startUnknown(sending, work.command, now, work.context.attemptId), now);
      return laterAfter(Math.max(result.delayMs, waitMs), result.why, result.evidence);
    }
    case 'refused':
      return refusedStart(start, before, result);
  }
}

/**
 * Sent as `Idempotency-Key`: the same for every try of one start. No other change has one: what may be asked for as often as one likes is to be
 * done each time (docs/adr/0028-a-key-for-what-must-not-happen-twice.md). A digest, since a header has its limits and an id may be anything printable.
 */
function idempotencyKeyOf(commandId: string): string {
  return hash('sha256', commandId);
}

function rowAfterStart(result: ChangeResult, { work }: Start, sending: RunItem, before: RunItem): RunItem {
  const now = work.context.now();
  switch (result.kind) {
    case 'applied':
      return startApplied(sending, work.command, now);
    case 'unknown':
      return startUnknown(sending, work.command, now, work.context.attemptId);
    case 'not-applied':
      return startWithdrawn(before, result.refusals);
    case 'refused': {
      const { reason, detail } = result;
      const isDoubted = before.inDoubt?.id === work.command.id;
      const withdrawn = startWithdrawn(before, undefined);
      return isDoubted ? withdrawn : startEnded(withdrawn, work, { outcome: { kind: 'parked', reason, detail } });
    }
  }
}

/** A refusal speaks for this attempt alone: where an earlier one is in doubt, the run may well be running because of it. */
function refusedStart(
  start: Start,
  before: RunItem,
  { reason, detail, evidence }: Extract<ChangeResult, { kind: 'refused' }>,
): Promise<CommandResult> {
  const { work, deps, campaignRunId } = start;
  if (before.inDoubt?.id !== work.command.id) {
    return endRefused(start, parked(reason, detail, { campaignRunId, evidence }));
  }
  const text = `an earlier attempt was sent and never answered, and this one was refused (${detail}); its stop stays armed`;
  return conclude(work, parked('START_OUTCOME_UNKNOWN', text, { campaignRunId, evidence }), deps);
}

/** For the log and `autopilot status`. */
function startedText({ campaignRunId }: Start, { startAt, stopDueAt }: StartTimes): string {
  const when = startAt === undefined ? '' : ` for ${startAt}`;
  return `run ${campaignRunId} started${when}${stopDueAt === undefined ? '' : `, its stop is due ${stopDueAt}`}`;
}

function startFacts(times: StartTimes, policy: RunPolicy): Readonly<Record<string, string>> {
  return {
    effectAt: times.effectAt,
    ...(times.stopDueAt === undefined ? {} : { stopDueAt: times.stopDueAt }),
    ...(policy.run === undefined ? {} : { campaign: policy.run.campaign }),
  };
}
