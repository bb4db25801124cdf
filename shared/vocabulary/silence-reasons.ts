import { type OutcomeKind, parkReasons, type ReasonCode, skipReasons } from './reason-codes.ts';
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

/** What a reason means, in our own words. */
export function silenceMeaning(reason: SilenceReason): string {
  if (reason in ownReasons) return ownReasons[reason as keyof typeof ownReasons];
  return reason in parkReasons
    ? parkReasons[reason as keyof typeof parkReasons].meaning
    : skipReasons[reason as keyof typeof skipReasons];
}

/** What a person does next about a silent schedule, in our own words: a command to type, if there is one. */
export function silenceNextStep(reason: SilenceReason): string {
  if (reason in parkReasons) return `autopilot parked list --reason ${reason}`;
  switch (reason) {
    case 'FROZEN':
      return 'autopilot thaw';
    case 'PAUSED':
      return 'autopilot status names the pause; end it by autopilot resume';
    case 'BLACKOUT':
      return 'autopilot plan names the blackout; change it in automation.config.ts and deploy';
    case 'DISABLED':
    case 'CHANGED_BY_HAND':
    case 'DELETED':
      return 'deploy with --revert-drift, or put it right in EventBridge Scheduler';
    case 'OBSERVED':
      return "mode: 'act' in automation.config.ts and deploy";
    case 'NO_MESSAGE':
      return 'autopilot doctor --deep';
    default:
      return 'autopilot history --verbose';
  }
}
