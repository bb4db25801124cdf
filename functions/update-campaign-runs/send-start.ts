import { AppError } from '../../shared/errors/app-error.ts';
import type { UpdateCampaignRunInput } from '../../shared/gateway-client/index.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { changeRun, type ChangeResult } from './change-run.ts';
import { applied, conclude, parked } from './conclude.ts';
import type { RunPolicy } from './run-policy.ts';
import { doubtRemainingMs, leftInDoubt, startApplied, startWithdrawn } from './run-rows.ts';
import { endRefused, type Start } from './start-reservation.ts';
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
): Promise<RecordResult> {
  const { work, deps, policy, campaignRunId } = start;
  const result = await changeRun(startInput(start, times), before, work, deps);
  const now = work.context.now();

  switch (result.kind) {
    case 'applied':
      await settle(deps.ledger, sending, startApplied(sending, work.command, now));
      return conclude(
        work,
        applied(campaignRunId, startFacts(times, policy), result.detail ?? startedText(start, times)),
        deps,
      );
    case 'not-applied':
      await settle(deps.ledger, sending, startWithdrawn(before, result.refusals));
      return later(result.delayMs, result.why);
    case 'unknown': {
      const doubted = leftInDoubt(sending, work.command, now);
      await settle(deps.ledger, sending, doubted);
      return later(Math.max(result.delayMs, doubtRemainingMs(doubted, now)), result.why);
    }
    case 'refused':
      await settle(deps.ledger, sending, startWithdrawn(before, undefined));
      return refusedStart(start, before, result);
  }
}

/** A refusal speaks for this attempt alone: where an earlier one is in doubt, the run may well be running because of it. */
function refusedStart(
  start: Start,
  before: RunItem,
  { reason, detail, evidence }: Extract<ChangeResult, { kind: 'refused' }>,
): Promise<RecordResult> {
  const { work, deps, campaignRunId } = start;
  if (before.inDoubt?.id !== work.command.id) {
    return endRefused(start, parked(reason, detail, { campaignRunId, evidence }));
  }
  const text = `an earlier attempt was sent and never answered, and this one was refused (${detail}); its stop stays armed`;
  return conclude(work, parked('START_OUTCOME_UNKNOWN', text, { campaignRunId, evidence }), deps);
}

function startInput(start: Start, times: StartTimes): UpdateCampaignRunInput {
  const { work, deps, policy, campaignRunId } = start;
  const { command } = work;
  const date = localDate(times.effectAt, deps.config.timezone);
  const name = command.name ?? policy.nameTemplate?.replaceAll('{date}', date);
  return {
    campaignRunId,
    status: deps.config.gateway.status.start,
    ...(times.startAt === undefined ? {} : { startAt: times.startAt }),
    ...(name === undefined ? {} : { name }),
    ...(command.preserve === undefined ? {} : { preserve: command.preserve }),
  };
}

/** For the log and `autopilot status`. */
function startedText({ campaignRunId }: Start, { startAt, stopDueAt }: StartTimes): string {
  const when = startAt === undefined ? '' : ` for ${startAt}`;
  return `run ${campaignRunId} started${when}${stopDueAt === undefined ? '' : `, its stop is due ${stopDueAt}`}`;
}

/** `2026-11-20`, the date on the wall of that zone. */
function localDate(instant: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(instant));
}

function startFacts(times: StartTimes, policy: RunPolicy): Readonly<Record<string, string>> {
  return {
    effectAt: times.effectAt,
    ...(times.stopDueAt === undefined ? {} : { stopDueAt: times.stopDueAt }),
    ...(policy.run === undefined ? {} : { campaign: policy.run.campaign }),
  };
}

/**
 * Writes a run's row after the answer. Nobody else writes it while the lease holds.
 * @throws AppError LEASE_LOST where somebody did: the row as it is then decides at the next delivery
 */
export async function settle(ledger: Ledger, sending: Stored<RunItem>, after: RunItem): Promise<Stored<RunItem>> {
  const written = await ledger.write<RunItem>(sending, after);
  if (written !== undefined) return written;
  throw new AppError(`the row of run ${sending.campaignRunId} was taken over while its request was under way`, {
    code: 'LEASE_LOST',
    retryable: true,
  });
}
