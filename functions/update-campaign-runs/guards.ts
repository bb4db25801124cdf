import type { GuardItem } from '../../shared/ledger/items.ts';
import { type CampaignRunCommand, defaultValidFor } from '../../shared/messages/campaign-run-command.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import type { SkipReason } from '../../shared/vocabulary/reason-codes.ts';
import type { RunPolicy } from './run-policy.ts';

/** What the guards say about a start, at the instant of its effect. */
export type GuardVerdict =
  | { readonly verdict: 'apply' }
  | { readonly verdict: 'skip'; readonly reason: SkipReason; readonly detail: string };

/** Everything that the guards look at. */
export interface GuardQuestion {
  readonly command: CampaignRunCommand;
  readonly policy: RunPolicy;
  readonly guard: GuardItem | undefined;
  readonly now: Date;
}

/** A guard that says no. */
type Skip = Extract<GuardVerdict, { verdict: 'skip' }>;

/** Decides about a start: the first guard that says no gives the reason. Pure; stops are never asked. */
export function judgeStart(question: GuardQuestion): GuardVerdict {
  return judgeValidity(question) ?? judgeOverlap(question) ?? { verdict: 'apply' };
}

/** A redelivered message must not start last night's run at noon. */
export function judgeValidity({ command, now }: Pick<GuardQuestion, 'command' | 'now'>): Skip | undefined {
  const validFor = command.validFor ?? defaultValidFor;
  const lateMs = now.getTime() - Date.parse(command.issuedAt);
  if (lateMs <= (durationMs(validFor) ?? 0)) return undefined;
  return {
    verdict: 'skip',
    reason: 'MISSED_WINDOW',
    detail: `issued ${command.issuedAt}, valid for ${validFor}, and it is ${now.toISOString()}`,
  };
}

/** The PATCH returns at once and the run goes on for hours: only the reservation knows that it is in flight. */
function judgeOverlap({ command, policy, guard, now }: GuardQuestion): Skip | undefined {
  const inFlight = guard?.inFlight;
  if (policy.overlap === 'allow' || inFlight === undefined || inFlight.commandId === command.id) return undefined;
  if (Date.parse(inFlight.until) <= now.getTime()) return undefined;
  return {
    verdict: 'skip',
    reason: 'OVERLAP',
    detail: `run ${inFlight.campaignRunId} of ${policy.guardName} is in flight since ${inFlight.since}, at most until ${inFlight.until}`,
  };
}
