import { isOverriddenBy } from '../../shared/guards/judge.ts';
import type { Judgement } from '../../shared/guards/start-question.ts';
import { validityOf } from '../../shared/guards/validity.ts';
import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import { type CommandItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import { later } from '../_runtime/outcome.ts';
import { askGuards } from './ask-guards.ts';
import { shortWaitMs, type Wait, waitBeforeCalls } from './before-call.ts';
import { conclude, parked, skipped, superseded } from './conclude.ts';
import { awaitedConfirmation } from './confirmation.ts';
import { deferStart, displacedBy } from './defer-start.ts';
import { type CommandResult, type CommandWork, laterAfter, type UpdateDeps } from './deps.ts';
import { evidenceOfDoubt, startWaitMs } from './doubts.ts';
import { appliedBefore, endedBefore, giveUp } from './end-start.ts';
import { findStart } from './find-start.ts';
import { readCampaign } from './read-campaign.ts';
import { longestStopWaitMs } from './retry-delay.ts';
import type { RunPolicy } from './run-policy.ts';
import { beginStart, hasPendingStop, isNewer, leaseRemainingMs, newRun, withRefusals } from './run-rows.ts';
import { sendStart } from './send-start.ts';
import { repeatsApproved, reserve, type Start, takeId } from './start-reservation.ts';
import { type StartTimes, startTimes } from './start-times.ts';
import { startWithoutId } from './start-without-id.ts';
import { stopPrevious } from './stop-previous.ts';

/**
 * Starts a run: the newest wish wins, the guards are asked, the stop is armed and the guard item reserved before the PATCH goes out.
 * Every step is a conditional write, so that a start of two workers is one start and a crash between two steps is picked up by the next
 * delivery of the same command.
 */
export async function startRun(work: CommandWork, policy: RunPolicy, deps: UpdateDeps): Promise<CommandResult> {
  const { command } = work;
  const guard = await deps.ledger.read<GuardItem>(ledgerKeys.guard(policy.guards.target));
  const found = await findStart(work, policy, guard, deps);
  if ('result' in found) return found.result;
  if ('withoutId' in found) return startWithoutId(found.withoutId);
  const { start } = found;
  const row = start.row ?? newRun(start.campaignRunId, policy.run?.name);

  if (row.appliedStart === command.id) return conclude(work, appliedBefore(start), deps);
  if (isNewer(row.wish, command)) {
    return giveUp(start, superseded(start.campaignRunId, `a newer ${row.wish?.action} (${row.wish?.id}) is recorded`));
  }
  const ended = endedBefore(start);
  if (ended !== undefined) return giveUp(start, ended);
  const isInDoubt = row.inDoubt?.id === command.id;
  const moot = isInDoubt || work.row?.deferred === undefined ? undefined : displacedBy(start);
  if (moot !== undefined) return giveUp(start, moot);
  // Validity is judged before anything is waited for: a start that waits must end some day.
  const isOver = !isInDoubt && isPastValidity(work);
  const judged = isOver ? await askGuards(start) : undefined;
  if (judged !== undefined && judged.kind !== 'apply') return endJudged(start, judged);
  const wait = waitBefore(row, work) ?? (await waitForStop(row, work, deps));
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  return isInDoubt ? resumeInDoubt(start, row) : judgeAndSend(start, row);
}

/** What a start waits for, if anything. */
function waitBefore(row: RunItem, { command, context }: CommandWork): Wait | undefined {
  const now = context.now();
  const leaseMs = leaseRemainingMs(row, { owner: context.attemptId, now });
  if (leaseMs > 0) return { delayMs: Math.min(leaseMs, shortWaitMs), why: 'another attempt holds this run' };
  const delayMs = startWaitMs(row, now);
  if (delayMs > 0) {
    const whose =
      row.inDoubt?.id === command.id ? 'an earlier attempt of this start' : 'an earlier request for this run';
    return { delayMs, why: `${whose} is in doubt` };
  }
  return undefined;
}

/**
 * A stop that is not applied yet may take a while: it is not asked about more often than it is tried. One that has its
 * outcome is not tried any more, whatever it left in the row of a run that was never started.
 */
async function waitForStop(row: RunItem, { record }: CommandWork, { ledger }: UpdateDeps): Promise<Wait | undefined> {
  if (row.wish === undefined || !hasPendingStop(row)) return undefined;
  const stop = await ledger.read<CommandItem>(ledgerKeys.command(row.wish.id));
  if (stop?.outcome !== undefined) return undefined;
  return {
    delayMs: Math.min(longestStopWaitMs, shortWaitMs * 2 ** Math.min(record.receiveCount - 1, 10)),
    why: 'a stop of this run is not applied yet',
  };
}

/** Guards, id, reservation, wish; then the PATCH. */
async function judgeAndSend(start: Start, row: RunItem): Promise<CommandResult> {
  const { work } = start;
  const first = await askGuards(start);
  if (first.kind !== 'apply') return endJudged(start, first);

  const campaign = await lookBefore(start, row);
  if (campaign.kind === 'ended') return campaign.result;
  const judged = campaign.reading === undefined ? first : await askGuards(start, campaign.reading);
  if (judged.kind !== 'apply') return endJudged(start, judged);
  if (judged.stopFirst.length > 0) return stopPrevious(start, judged);
  if (!(await takeId(start, work.context.now()))) return later(shortWaitMs, 'another start took the same id');
  return reserveAndSend(start, row, judged, campaign.reading);
}

function endJudged(start: Start, judged: Exclude<Judgement, { kind: 'apply' }>): Promise<CommandResult> {
  if (judged.kind === 'defer') return deferStart(start, judged);
  const { reason, detail, verdicts } = judged;
  return giveUp(start, { ...skipped(reason, detail, start.campaignRunId), verdicts });
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
  // Its slot was free before the read and nobody else takes it: only the distance to the read is waited for, in process.
  const again = await waitBeforeCalls([], work, deps);
  if (again !== undefined) return { kind: 'ended', result: later(again.delayMs, again.why) };
  return campaign;
}

/** Reserves the campaign from now on, writes wish, lease, doubt and the armed stop in one condition, then sends. */
async function reserveAndSend(
  start: Start,
  row: RunItem,
  { verdicts }: Pick<Judgement, 'verdicts'>,
  before: CampaignReading | undefined,
): Promise<CommandResult> {
  const { work, deps, policy } = start;
  const { attemptId, now, remainingMs } = work.context;
  if (!(await reserve(start, startTimes(work.command, policy, now())))) {
    return later(shortWaitMs, 'another start reserved this campaign');
  }
  await deps.rateLimiter.take('runs');
  const times = firstTimes(row, work, startTimes(work.command, policy, now()));
  const attempt = {
    owner: attemptId,
    now: now(),
    remainingMs: remainingMs(),
    policy,
    stopStatus: deps.config.gateway.status.stop,
    doubt: { repeats: repeatsApproved(work), ...(before === undefined ? {} : { before }) },
    verdicts,
    confirm: awaitedConfirmation(start, times, before),
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
      parked('START_OUTCOME_UNKNOWN', detail, { campaignRunId, evidence: evidenceOfDoubt(row) }),
      deps,
    );
  };

  const before = row.inDoubt?.before;
  const isApproved = repeatsApproved(work) > (row.inDoubt?.repeats ?? 0);
  if (!isApproved && isPastValidity(work)) return inDoubt('its validity is over');
  const { campaignId } = policy;
  const mustLook = !isApproved && before !== undefined;
  if (mustLook && campaignId === undefined) return inDoubt('its campaign is not configured any more');
  const wait = await waitBeforeCalls(mustLook ? ['reads', 'runs'] : ['runs'], work, deps);
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  if (!mustLook || campaignId === undefined) return judgeAgain(start, row, before, inDoubt);

  const campaign = await readCampaign(campaignId, row.refusals, work, deps);
  if (campaign.kind === 'refused') return inDoubt(campaign.detail);
  if (campaign.kind !== 'read') return laterAfter(campaign.delayMs, campaign.why, campaign.evidence);
  const isUnchanged = campaign.reading.runCount === before.runCount && campaign.reading.lastRunAt === before.lastRunAt;
  return isUnchanged
    ? judgeAgain(start, row, before, inDoubt)
    : inDoubt('the campaign reads as if a run had started since');
}

/** Nobody can say that it was passed over: an earlier attempt may have started it. */
async function judgeAgain(
  start: Start,
  row: RunItem,
  before: CampaignReading | undefined,
  inDoubt: (why: string) => Promise<CommandResult>,
): Promise<CommandResult> {
  const judged = await askGuards(start, before);
  if (judged.kind !== 'apply') return inDoubt(judged.detail);
  if (judged.stopFirst.length > 0) return inDoubt('another run of its campaign is in flight');
  return reserveAndSend(start, row, judged, before);
}

function isPastValidity({ command, row, context }: CommandWork): boolean {
  if (isOverriddenBy(command, 'validity')) return false;
  return context.now() > validityOf({ command, deferredUntil: row?.deferred?.until }).until;
}

/** The run may be running since an earlier attempt in doubt: its stop is due when that one said so. */
function firstTimes({ inDoubt, stopDue }: RunItem, { command }: CommandWork, times: StartTimes): StartTimes {
  const isFirst = inDoubt?.id !== command.id || stopDue?.commandId !== command.id;
  return isFirst ? times : { ...times, stopDueAt: stopDue.at };
}
