import { AppError } from '../../shared/errors/app-error.ts';
import type { UpdateCampaignRunInput } from '../../shared/gateway-client/index.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { changeRun, type ChangeResult } from './change-run.ts';
import { applied, conclude, parked } from './conclude.ts';
import type { RunPolicy } from './run-policy.ts';
import { doubtRemainingMs, startApplied, startInDoubt, startNotApplied, type StartTimes } from './run-rows.ts';
import { freeReservation, type Start } from './start-reservation.ts';

/** Sends the PATCH and writes down what became of it. */
export async function sendStart(start: Start, sending: Stored<RunItem>, times: StartTimes): Promise<RecordResult> {
  const { work, deps, policy, campaignRunId } = start;
  const input = startInput(start, times);
  const result = await changeRun(input, work, deps);
  const now = work.context.now();

  switch (result.kind) {
    case 'applied':
      await settle(deps.ledger, sending, startApplied(sending, work.command, now));
      return conclude(work, applied(campaignRunId, startFacts(times, policy), result.detail), deps);
    case 'not-applied':
      await settle(deps.ledger, sending, startNotApplied(sending));
      return later(result.delayMs, result.why);
    case 'unknown':
      return unknownStart(start, sending, result);
    case 'refused':
      await settle(deps.ledger, sending, startNotApplied(sending));
      await freeReservation(start);
      return conclude(work, parked(result.reason, result.detail, { campaignRunId, evidence: result.evidence }), deps);
  }
}

async function unknownStart(
  start: Start,
  sending: Stored<RunItem>,
  result: Extract<ChangeResult, { kind: 'unknown' }>,
): Promise<RecordResult> {
  const doubted = startInDoubt(sending, start.work.context.now());
  await settle(start.deps.ledger, sending, doubted);
  return later(Math.max(result.delayMs, doubtRemainingMs(doubted, start.work.context.now())), result.why);
}

function startInput(start: Start, times: StartTimes): UpdateCampaignRunInput {
  const { work, deps, policy, campaignRunId } = start;
  const { command } = work;
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: deps.config.timezone, dateStyle: 'short' }).format(
    new Date(times.effectAt),
  );
  const name = command.name ?? policy.nameTemplate?.replaceAll('{date}', date);
  return {
    campaignRunId,
    status: deps.config.gateway.status.start,
    ...(times.startAt === undefined ? {} : { startAt: times.startAt }),
    ...(name === undefined ? {} : { name }),
    ...(command.preserve === undefined ? {} : { preserve: command.preserve }),
  };
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
export async function settle(ledger: Ledger, sending: Stored<RunItem>, after: RunItem): Promise<void> {
  const written = await ledger.write<RunItem>(sending, after);
  if (written !== undefined) return;
  throw new AppError(`the row of run ${sending.campaignRunId} was taken over while its request was under way`, {
    code: 'LEASE_LOST',
    retryable: true,
  });
}
