import type { Step } from '../text/step.ts';
import { isParkReason, meaningOf, type OutcomeKind, type ReasonCode } from './reason-codes.ts';

/** Why an occurrence of a schedule started nothing, if the ledger has no reason code for it. */
const ownReasons = {
  DISABLED: 'the schedule is disabled in EventBridge Scheduler',
  DELETED: 'the schedule is not in EventBridge Scheduler',
  CHANGED_BY_HAND: 'the schedule has other times in EventBridge Scheduler than in the configuration',
  NO_MESSAGE: 'no command of the schedule arrived',
  NO_OUTCOME: 'the command has had no outcome for more than a day',
  OBSERVED: 'the stage only observes',
  SUPERSEDED: 'a later command for the same run replaced the start',
  NOT_APPLIED: 'the command ended without a start',
} as const;

/** Why a schedule is silent. */
export type SilenceReason = keyof typeof ownReasons | ReasonCode;

/** The reason of a command that ended without a start. */
export function reasonOfEnd(kind: OutcomeKind, reason: ReasonCode | undefined): SilenceReason {
  return reason ?? (kind === 'superseded' ? 'SUPERSEDED' : 'NOT_APPLIED');
}

/** Whether a switch held the start back. */
export function isHeldBack(reason: SilenceReason): boolean {
  return reason === 'FROZEN' || reason === 'PAUSED' || reason === 'HELD_BY_ALARM';
}

function isOwn(reason: SilenceReason): reason is keyof typeof ownReasons {
  return reason in ownReasons;
}

/** What a reason means, in our own words. */
export function silenceMeaning(reason: SilenceReason): string {
  return isOwn(reason) ? ownReasons[reason] : meaningOf(reason);
}

/** What to do about a schedule that started nothing. */
export function silenceNextStep(reason: SilenceReason): Step {
  if (isParkReason(reason))
    return { says: 'Decide what is parked.', command: ['autopilot', 'parked', 'list', '--code', reason] };
  switch (reason) {
    case 'FROZEN':
      return { says: 'End the freeze.', command: ['autopilot', 'thaw'] };
    case 'PAUSED':
      return { says: 'Find the pause, and end it with autopilot resume.', command: ['autopilot', 'status'] };
    case 'HELD_BY_ALARM':
      return {
        says: 'Find the alarm that rings. Once it is OK, the schedule starts again.',
        command: ['autopilot', 'status'],
      };
    case 'BLACKOUT':
      return {
        says: 'Find the blackout, change it in automation.config.ts and deploy.',
        command: ['autopilot', 'plan'],
      };
    case 'DISABLED':
    case 'CHANGED_BY_HAND':
    case 'DELETED':
      return { says: 'Deploy with --revert-drift, or put it right in EventBridge Scheduler.' };
    case 'OBSERVED':
      return { says: "Set mode: 'act' in automation.config.ts and deploy." };
    case 'NO_MESSAGE':
      return { says: 'Test the links of the stage.', command: ['autopilot', 'doctor', '--deep'] };
    default:
      return { says: 'Read why.', command: ['autopilot', 'history', '--verbose'] };
  }
}
