import { type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import { defaultValidFor } from '../../shared/messages/campaign-run-command.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import { later } from '../_runtime/outcome.ts';
import { shortWaitMs, type Wait, waitBeforeCalls } from './before-call.ts';
import { applied, conclude, parked, skipped, superseded } from './conclude.ts';
import { type CommandResult, type CommandWork, laterAfter, type UpdateDeps } from './deps.ts';
import { startWaitMs } from './doubts.ts';
import { judgeStart, judgeValidity } from './guards.ts';
import { type CampaignReading, readCampaign } from './read-campaign.ts';
import type { RunPolicy } from './run-policy.ts';
import { beginStart, hasPendingStop, isNewer, leaseRemainingMs, newRun, withRefusals } from './run-rows.ts';
import { sendStart } from './send-start.ts';
import { endedBefore, findStart, giveUp, repeatsApproved, reserve, type Start, takeId } from './start-reservation.ts';
import { type StartTimes, startTimes } from './start-times.ts';

/** A stop that is not applied yet may take a while: it is not asked about more often than it is tried. */
const longestStopWaitMs = 60_000;

/**
 * Starts a run: the newest wish wins, the guards are asked, the stop is armed and the guard item reserved before the PATCH goes out.
 * Every step is a conditional write, so that a start of two workers is one start and a crash between two steps is picked up by the next
 * delivery of the same command.
 */
export async function startRun(work: CommandWork, policy: RunPolicy, deps: UpdateDeps): Promise<CommandResult> {
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
  const ended = endedBefore(start);
  if (ended !== undefined) return giveUp(start, ended);
  const isInDoubt = row.inDoubt?.id === command.id;
  // Validity is judged before anything is waited for: a start that waits must end some day.
  const late = isInDoubt ? undefined : judgeValidity({ command, now: context.now() });
  if (late !== undefined) return giveUp(start, skipped(late.reason, late.detail, start.campaignRunId));
  const wait = waitBefore(row, work);
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  return isInDoubt ? resumeInDoubt(start, row) : judgeAndSend(start, row);
}

/** What a start waits for, if anything. */
function waitBefore(row: RunItem, { command, context, record }: CommandWork): Wait | undefined {
  const now = context.now();
  const leaseMs = leaseRemainingMs(row, { owner: context.attemptId, now });
  if (leaseMs > 0) return { delayMs: Math.min(leaseMs, shortWaitMs), why: 'another attempt holds this run' };
  const delayMs = startWaitMs(row, now);
  if (delayMs > 0) {
    const whose =
      row.inDoubt?.id === command.id ? 'an earlier attempt of this start' : 'an earlier request for this run';
    return { delayMs, why: `${whose} is in doubt` };
  }
  if (!hasPendingStop(row)) return undefined;
  return {
    delayMs: Math.min(longestStopWaitMs, shortWaitMs * 2 ** Math.min(record.receiveCount - 1, 10)),
    why: 'a stop of this run is not applied yet',
  };
}

/** Guards, id, reservation, wish; then the PATCH. */
async function judgeAndSend(start: Start, row: RunItem): Promise<CommandResult> {
  const { work, policy } = start;
  const { command, context } = work;
  const verdict = judgeStart({ command, policy, guard: start.guard, now: context.now() });
  if (verdict.verdict === 'skip') return giveUp(start, skipped(verdict.reason, verdict.detail, start.campaignRunId));

  const campaign = await lookBefore(start, row);
  if (campaign.kind === 'ended') return campaign.result;
  if (!(await takeId(start, context.now()))) return later(shortWaitMs, 'another start took the same id');
  if (!(await reserve(start, startTimes(command, policy, context.now())))) {
    return later(shortWaitMs, 'another start reserved this campaign');
  }
  return beginAndSend(start, row, campaign.reading);
}

/** The campaign as it reads before the start, where it is known; or the end of this attempt, where it cannot be read. */
async function lookBefore(
  start: Start,
  row: RunItem,
): Promise<
  | { readonly kind: 'read'; readonly reading?: CampaignReading }
  | { readonly kind: 'ended'; readonly result: CommandResult }
> {
  const { work, deps, policy } = start;
  const { campaignId } = policy;
  const wait = await waitBeforeCalls(campaignId === undefined ? ['runs'] : ['reads', 'runs'], work, deps);
  if (wait !== undefined) return { kind: 'ended', result: later(wait.delayMs, wait.why) };
  if (campaignId === undefined) return { kind: 'read' };
  const campaign = await readCampaign(campaignId, row.refusals, work, deps);
  if (campaign.kind === 'refused') {
    const { reason, detail, evidence } = campaign;
    return { kind: 'ended', result: await giveUp(start, parked(reason, detail, { evidence })) };
  }
  if (campaign.kind !== 'read') {
    const refusals = campaign.kind === 'not-applied' ? campaign.refusals : undefined;
    if (refusals !== undefined) await deps.ledger.write<RunItem>(start.row, withRefusals(row, refusals));
    return { kind: 'ended', result: laterAfter(campaign.delayMs, campaign.why, campaign.evidence) };
  }
  const again = await waitBeforeCalls(['runs'], work, deps);
  if (again !== undefined) return { kind: 'ended', result: later(again.delayMs, again.why) };
  return campaign;
}

/** Writes wish, lease, doubt and the armed stop in one condition, then sends. */
async function beginAndSend(start: Start, row: RunItem, before: CampaignReading | undefined): Promise<CommandResult> {
  const { work, deps, policy } = start;
  const { attemptId, now, remainingMs } = work.context;
  await deps.turns.runs.take();
  const times = firstTimes(row, work, startTimes(work.command, policy, now()));
  const attempt = {
    owner: attemptId,
    now: now(),
    remainingMs: remainingMs(),
    policy,
    stopStatus: deps.config.gateway.status.stop,
    doubt: { repeats: repeatsApproved(work), ...(before === undefined ? {} : { before }) },
  };
  const sending = await deps.ledger.write<RunItem>(start.row, beginStart(row, work.command, times, attempt));
  if (sending === undefined) return later(shortWaitMs, 'the row of this run changed under us');
  return sendStart(start, sending, row, times);
}

/**
 * An earlier attempt of this very start was sent, or its worker died, and nobody knows what became of it. After the in-doubt wait it is sent
 * again only inside its validity and only if the campaign still reads as before (or a person who looked at the gateway says so); else it is a
 * person's affair, with its stop armed.
 */
async function resumeInDoubt(start: Start, row: RunItem): Promise<CommandResult> {
  const { work, deps, policy, campaignRunId } = start;
  const inDoubt = (why: string) => {
    const detail = `an earlier attempt was sent and never answered, and ${why}; its stop stays armed`;
    return conclude(
      work,
      parked('START_OUTCOME_UNKNOWN', detail, { campaignRunId, evidence: { requestSent: true } }),
      deps,
    );
  };

  const before = row.inDoubt?.before;
  const isApproved = repeatsApproved(work) > (row.inDoubt?.repeats ?? 0);
  const validUntil = Date.parse(work.command.issuedAt) + (durationMs(work.command.validFor ?? defaultValidFor) ?? 0);
  if (!isApproved && work.context.now().getTime() > validUntil) return inDoubt('its validity is over');

  const { campaignId } = policy;
  const mustLook = !isApproved && before !== undefined;
  if (mustLook && campaignId === undefined) return inDoubt('its campaign is not configured any more');
  const wait = await waitBeforeCalls(mustLook ? ['reads', 'runs'] : ['runs'], work, deps);
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  if (!mustLook || campaignId === undefined) return beginAndSend(start, row, before);

  const campaign = await readCampaign(campaignId, row.refusals, work, deps);
  if (campaign.kind === 'refused') return inDoubt(campaign.detail);
  if (campaign.kind !== 'read') return laterAfter(campaign.delayMs, campaign.why, campaign.evidence);
  const isUnchanged = campaign.reading.runCount === before.runCount && campaign.reading.lastRunAt === before.lastRunAt;
  return isUnchanged ? beginAndSend(start, row, before) : inDoubt('the campaign reads as if a run had started since');
}

/** The run may be running since an earlier attempt in doubt: its stop is due when that one said so. */
function firstTimes(
  { inDoubt, stopDue, inFlightUntil }: RunItem,
  { command }: CommandWork,
  times: StartTimes,
): StartTimes {
  const isFirst = inDoubt?.id !== command.id || stopDue?.commandId !== command.id;
  return isFirst ? times : { ...times, stopDueAt: stopDue.at, inFlightUntil: inFlightUntil ?? times.inFlightUntil };
}
