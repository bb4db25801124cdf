import type { RunItem } from '../../shared/ledger/items.ts';
import { defaultValidFor } from '../../shared/messages/campaign-run-command.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { applied, conclude, parked, skipped, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import type { RunPolicy } from './run-policy.ts';
import { beginStart, doubtRemainingMs, isNewer, leaseRemainingMs, newRun, startTimes } from './run-rows.ts';
import { sendStart } from './send-start.ts';
import { findStart, giveUp, judge, reserve, type Start, takeId, validSince } from './start-reservation.ts';

/** Another attempt has the row, or won a conditional write: it is done in seconds. */
const shortWaitMs = 2000;

/**
 * Starts a run: the newest wish wins, the guards are asked, the stop is armed and the guard item reserved before the PATCH goes out.
 * Every step is a conditional write, so that a start of two workers is one start and a crash between two steps is picked up by the next
 * delivery of the same command.
 */
export async function startRun(work: CommandWork, policy: RunPolicy, deps: UpdateDeps): Promise<RecordResult> {
  const found = await findStart(work, policy, deps);
  if ('result' in found) return found.result;
  const { start } = found;
  const { command, context } = work;
  const row = start.row ?? newRun(start.campaignRunId, policy.run?.name);

  if (row.applied?.id === command.id) return conclude(work, applied(start.campaignRunId, {}), deps);
  if (isNewer(row.wish, command))
    return giveUp(start, superseded(start.campaignRunId, `a newer ${row.wish?.action} (${row.wish?.id}) is recorded`));
  const leaseMs = leaseRemainingMs(row, { owner: context.attemptId, now: context.now() });
  if (leaseMs > 0) return later(Math.min(leaseMs, shortWaitMs), 'another attempt holds this run');
  if (row.inDoubt?.id === command.id) return resumeInDoubt(start, row);
  if (row.wish?.action === 'stop' && row.applied?.id !== row.wish.id)
    return later(shortWaitMs, 'a stop of this run is not applied yet');
  const doubtMs = doubtRemainingMs(row, context.now());
  if (doubtMs > 0) return later(doubtMs, 'an earlier start of this run is in doubt');
  return judgeAndSend(start, row);
}

/** Guards, id, reservation, wish; then the PATCH. */
async function judgeAndSend(start: Start, row: RunItem): Promise<RecordResult> {
  const { work, policy } = start;
  const verdict = judge(work, policy, start.guard);
  if (verdict.verdict === 'skip') return giveUp(start, skipped(verdict.reason, verdict.detail, start.campaignRunId));

  const before = await readCampaign(start);
  const { now } = work.context;
  const times = startTimes(work.command, policy, now());
  if (!(await takeId(start, now()))) return later(shortWaitMs, 'another start took the same id');
  if (!(await reserve(start, times))) return later(shortWaitMs, 'another start reserved this campaign');
  return beginAndSend(start, row, before);
}

/** Writes wish, lease, doubt and the armed stop in one condition, then sends. */
async function beginAndSend(start: Start, row: RunItem, before: CampaignReading | undefined): Promise<RecordResult> {
  const { work, deps, policy } = start;
  const now = work.context.now();
  const times = startTimes(work.command, policy, now);
  const attempt = { owner: work.context.attemptId, now, stopStatus: deps.config.gateway.status.stop };
  const begun = beginStart(row, work.command, times, { ...attempt, ...(before === undefined ? {} : { before }) });
  const sending = await deps.ledger.write<RunItem>(start.row, begun);
  if (sending === undefined) return later(shortWaitMs, 'the row of this run changed under us');
  return sendStart(start, sending, times);
}

/**
 * An earlier attempt of this very start was sent, or its worker died, and nobody knows what became of it. After the in-doubt wait it is sent
 * again only inside its validity and only if the campaign still reads as before; else it is a person's affair, with its stop armed.
 */
async function resumeInDoubt(start: Start, row: RunItem): Promise<RecordResult> {
  const { work, deps, campaignRunId } = start;
  const waitMs = doubtRemainingMs(row, work.context.now());
  if (waitMs > 0) return later(waitMs, 'an earlier attempt of this start is in doubt');

  const validUntil = validSince(work).getTime() + (durationMs(work.command.validFor ?? defaultValidFor) ?? 0);
  const isValid = work.context.now().getTime() <= validUntil;
  const isUnchanged = await readsAsBefore(start, row);
  if (!isValid || !isUnchanged) {
    const why = isValid ? 'the campaign reads as if a run had started since' : 'its validity is over';
    const detail = `an earlier attempt was sent and never answered, and ${why}; its stop stays armed`;
    return conclude(work, parked('START_OUTCOME_UNKNOWN', detail, { campaignRunId }), deps);
  }

  return beginAndSend(start, row, row.inDoubt?.before);
}

/** What of a campaign tells whether a run of it has started. */
type CampaignReading = NonNullable<NonNullable<RunItem['inDoubt']>['before']>;

/** `GET campaign` before a start: what tells later whether a start of unknown outcome took place. */
async function readCampaign(start: Start): Promise<CampaignReading | undefined> {
  const { campaignId } = start.policy;
  if (campaignId === undefined) return undefined;
  const { campaign } = await start.deps.gateway.getCampaign({ campaignId });
  return {
    ...(typeof campaign.runCount === 'number' ? { runCount: campaign.runCount } : {}),
    ...(typeof campaign.lastRunAt === 'string' ? { lastRunAt: campaign.lastRunAt } : {}),
  };
}

async function readsAsBefore(start: Start, row: RunItem): Promise<boolean> {
  const before = row.inDoubt?.before;
  if (before === undefined) return true;
  const now = await readCampaign(start);
  return now?.runCount === before.runCount && now?.lastRunAt === before.lastRunAt;
}
