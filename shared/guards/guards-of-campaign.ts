import type { Reservation } from '../ledger/items.ts';
import { compareGenerations } from '../messages/campaign-run-command.ts';
import { durationMs } from '../schedule/duration.ts';
import { isCounted, monthOf, startsUsed } from './month-budget.ts';
import { reservationsAt } from './reservations.ts';
import type { Skip, StartQuestion, StopFirst } from './start-question.ts';

/** Guards that look at the runs of the campaign, at the instant of effect. Pure. */

/** The PATCH returns at once and the run goes on for hours: only the reservation knows that it is in flight. */
export function judgeOverlap(question: StartQuestion): Skip | StopFirst | undefined {
  const { command, policy, guard, campaignRunId, now, effectAt } = question;
  if (policy.guards.overlap === 'allow') return undefined;
  const others = reservationsAt(guard, now).filter(
    (one) =>
      one.commandId !== command.id &&
      (one.campaignRunId === campaignRunId || Date.parse(one.until) > effectAt.getTime()),
  );
  const [other] = others;
  if (other === undefined) return undefined;
  const detail = `run ${other.campaignRunId} of ${policy.guards.target} is in flight since ${other.since}, at most until ${other.until}`;
  if (policy.guards.overlap === 'skip') return { kind: 'skip', reason: 'OVERLAP', detail };
  const newer = others.find((one) => !hasRoomForStop(one, command));
  if (newer === undefined) return { kind: 'stop-first', runs: others, detail: `${detail}; it is stopped first` };
  return {
    kind: 'skip',
    reason: 'OVERLAP',
    detail: `${detail}; its start (${newer.commandId}) is not older than this`,
  };
}

/** The stop that makes room is a wish between the two starts, so that it outranks the one and not the other. */
function hasRoomForStop({ commandId, issuedAt }: Reservation, command: StartQuestion['command']): boolean {
  if (issuedAt === undefined) return true;
  const isOlder = compareGenerations({ id: commandId, issuedAt }, command) < 0;
  return isOlder && Date.parse(command.issuedAt) - Date.parse(issuedAt) > 1;
}

/** The campaign ran a short time ago, whoever started that: somebody by hand counts as well. */
export function judgeGap({ policy, campaign, effectAt }: StartQuestion): Skip | undefined {
  const gapMs = durationMs(policy.guards.minimumGap ?? '');
  const lastMs = Date.parse(campaign?.lastRunAt ?? '');
  if (gapMs === undefined || Number.isNaN(lastMs) || effectAt.getTime() - lastMs >= gapMs) return undefined;
  const next = new Date(lastMs + gapMs).toISOString();
  return {
    kind: 'skip',
    reason: 'MINIMUM_GAP',
    detail: `the campaign ran at ${campaign?.lastRunAt}, and its minimum gap ${policy.guards.minimumGap} ends ${next}`,
  };
}

/** Each run costs money. */
export function judgeBudget({ command, policy, guard, timezone, effectAt }: StartQuestion): Skip | undefined {
  const {
    campaign,
    guards: { startsPerMonth },
  } = policy;
  if (campaign === undefined || startsPerMonth === undefined) return undefined;
  const where = { month: monthOf(effectAt, timezone), campaign };
  const used = startsUsed(guard, where);
  if (used < startsPerMonth || isCounted(guard, where, command.id)) return undefined;
  const detail = `${used} of ${startsPerMonth} starts of ${campaign} in ${where.month} are used`;
  return { kind: 'skip', reason: 'BUDGET', detail };
}
