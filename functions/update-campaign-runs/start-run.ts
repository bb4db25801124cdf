import { type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { defaultValidFor } from '../../shared/messages/campaign-run-command.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { shortWaitMs } from './change-run.ts';
import { applied, conclude, parked, skipped, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { judgeStart, judgeValidity } from './guards.ts';
import { type CampaignReading, readCampaign } from './read-campaign.ts';
import type { RunPolicy } from './run-policy.ts';
import { beginStart, doubtRemainingMs, hasPendingStop, isNewer, leaseRemainingMs, newRun } from './run-rows.ts';
import { sendStart } from './send-start.ts';
import { findStart, giveUp, reserve, type Start, takeId } from './start-reservation.ts';
import { startTimes } from './start-times.ts';

/** A stop that is not applied yet may take a while: it is not asked about more often than it is tried. */
const longestStopWaitMs = 60_000;

/**
 * Starts a run: the newest wish wins, the guards are asked, the stop is armed and the guard item reserved before the PATCH goes out.
 * Every step is a conditional write, so that a start of two workers is one start and a crash between two steps is picked up by the next
 * delivery of the same command.
 */
export async function startRun(work: CommandWork, policy: RunPolicy, deps: UpdateDeps): Promise<RecordResult> {
  const { command, context } = work;
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(policy.guardName));
  const found = await findStart(work, policy, guard, deps);
  if ('result' in found) return found.result;
  const { start } = found;
  const row = start.row ?? newRun(start.campaignRunId, policy.run?.name);

  if (row.appliedStart === command.id) return conclude(work, applied(start.campaignRunId), deps);
  if (isNewer(row.wish, command)) {
    return giveUp(start, superseded(start.campaignRunId, `a newer ${row.wish?.action} (${row.wish?.id}) is recorded`));
  }
  const isInDoubt = row.inDoubt?.id === command.id;
  // Validity is judged before anything is waited for: a start that waits must end some day.
  const late = isInDoubt ? undefined : judgeValidity({ command, now: context.now() });
  if (late !== undefined) return giveUp(start, skipped(late.reason, late.detail, start.campaignRunId));
  const wait = waitBefore(row, work);
  if (wait !== undefined) return later(wait.ms, wait.why);
  return isInDoubt ? resumeInDoubt(start, row) : judgeAndSend(start, row);
}

/** What a start waits for, if anything. */
function waitBefore(row: RunItem, { command, context, record }: CommandWork): { ms: number; why: string } | undefined {
  const now = context.now();
  const leaseMs = leaseRemainingMs(row, { owner: context.attemptId, now });
  if (leaseMs > 0) return { ms: Math.min(leaseMs, shortWaitMs), why: 'another attempt holds this run' };
  const doubtMs = doubtRemainingMs(row, now);
  if (doubtMs > 0) {
    const whose =
      row.inDoubt?.id === command.id ? 'an earlier attempt of this start' : `an earlier ${row.inDoubt?.action}`;
    return { ms: doubtMs, why: `${whose} is in doubt` };
  }
  if (!hasPendingStop(row)) return undefined;
  const ms = Math.min(longestStopWaitMs, shortWaitMs * 2 ** Math.min(record.receiveCount - 1, 10));
  return { ms, why: 'a stop of this run is not applied yet' };
}

/** Guards, id, reservation, wish; then the PATCH. */
async function judgeAndSend(start: Start, row: RunItem): Promise<RecordResult> {
  const { work, deps, policy } = start;
  const { command, context } = work;
  const verdict = judgeStart({ command, policy, guard: start.guard, now: context.now() });
  if (verdict.verdict === 'skip') return giveUp(start, skipped(verdict.reason, verdict.detail, start.campaignRunId));

  const campaign = await readCampaign(policy, work, deps);
  if (campaign.kind === 'later') return campaign.result;
  if (campaign.kind === 'parked') return giveUp(start, campaign.conclusion);
  if (!(await takeId(start, context.now()))) return later(shortWaitMs, 'another start took the same id');
  if (!(await reserve(start, startTimes(command, policy, context.now())))) {
    return later(shortWaitMs, 'another start reserved this campaign');
  }
  return beginAndSend(start, row, campaign.reading);
}

/** Writes wish, lease, doubt and the armed stop in one condition, then sends. */
async function beginAndSend(start: Start, row: RunItem, before: CampaignReading | undefined): Promise<RecordResult> {
  const { work, deps, policy } = start;
  const { attemptId, now, remainingMs } = work.context;
  const times = startTimes(work.command, policy, now());
  const attempt = {
    owner: attemptId,
    now: now(),
    remainingMs: remainingMs(),
    policy,
    stopStatus: deps.config.gateway.status.stop,
    ...(before === undefined ? {} : { before }),
  };
  const sending: Stored<RunItem> | undefined = await deps.ledger.write<RunItem>(
    start.row,
    beginStart(row, work.command, times, attempt),
  );
  if (sending === undefined) return later(shortWaitMs, 'the row of this run changed under us');
  return sendStart(start, sending, row, times);
}

/**
 * An earlier attempt of this very start was sent, or its worker died, and nobody knows what became of it. After the in-doubt wait it is sent
 * again only inside its validity and only if the campaign still reads as before (or a person who looked at the gateway says so); else it is a
 * person's affair, with its stop armed.
 */
async function resumeInDoubt(start: Start, row: RunItem): Promise<RecordResult> {
  const { work, deps, policy, campaignRunId } = start;
  const inDoubt = (why: string) => {
    const detail = `an earlier attempt was sent and never answered, and ${why}; its stop stays armed`;
    return conclude(work, parked('START_OUTCOME_UNKNOWN', detail, { campaignRunId }), deps);
  };

  const before = row.inDoubt?.before;
  if (isApprovedSince(work, row.inDoubt?.until)) return beginAndSend(start, row, before);
  const validUntil = Date.parse(work.command.issuedAt) + (durationMs(work.command.validFor ?? defaultValidFor) ?? 0);
  if (work.context.now().getTime() > validUntil) return inDoubt('its validity is over');
  if (before === undefined) return beginAndSend(start, row, undefined);

  const campaign = await readCampaign(policy, work, deps);
  if (campaign.kind === 'later') return campaign.result;
  if (campaign.kind === 'parked') return inDoubt(campaign.conclusion.outcome.detail ?? 'its campaign cannot be read');
  const isUnchanged =
    campaign.reading?.runCount === before.runCount && campaign.reading?.lastRunAt === before.lastRunAt;
  return isUnchanged ? beginAndSend(start, row, before) : inDoubt('the campaign reads as if a run had started since');
}

/** A person has looked and asked for the repeat after this doubt was over. */
function isApprovedSince(work: CommandWork, doubtUntil: string | undefined): boolean {
  const last = work.row?.resolutions?.at(-1);
  return last?.decision === 'repeat' && doubtUntil !== undefined && Date.parse(last.at) >= Date.parse(doubtUntil);
}
