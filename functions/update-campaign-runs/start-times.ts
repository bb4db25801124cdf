import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import type { RunPolicy } from './run-policy.ts';

/** Instants of a start: when it goes into effect and what follows from that. */
export interface StartTimes {
  /** Sent to the gateway where the start is delayed. */
  readonly startAt?: string;
  readonly effectAt: string;
  readonly inFlightUntil: string;
  readonly stopDueAt?: string;
}

/** A delay that is over already is left out: the gateway then starts the run at once, whatever it thinks of instants in the past. */
export function startTimes(
  command: CampaignRunCommand,
  policy: Pick<RunPolicy, 'inFlightFor' | 'stopAfter'>,
  now: Date,
): StartTimes {
  const delayedTo = Date.parse(command.issuedAt) + (durationMs(command.startDelay ?? 'PT0S') ?? 0);
  const isDelayed = command.startDelay !== undefined && delayedTo > now.getTime();
  const effect = isDelayed ? delayedTo : now.getTime();
  const after = (duration: string) => new Date(effect + (durationMs(duration) ?? 0)).toISOString();
  const effectAt = new Date(effect).toISOString();
  return {
    effectAt,
    inFlightUntil: after(policy.inFlightFor),
    ...(isDelayed ? { startAt: effectAt } : {}),
    ...(policy.stopAfter === undefined ? {} : { stopDueAt: after(policy.stopAfter) }),
  };
}
