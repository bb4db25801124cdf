import type { JudgedFinding } from '../finding.ts';
import { roughly } from '../readable.ts';
import { stopElsewhere } from '../runs/runs-in-flight.ts';
import type { ReadStatus, StatusInFlight } from '../status/status.ts';
import { gatewayConnection } from '../stage/gate-status.ts';

/** watch-campaigns sends a stop within a minute; what is later than two is late for a reason. */
const lateMs = 2 * 60_000;

/** Whether a run goes on past its planned stop. One that is only observed runs nowhere. Pure. */
export function isLate(
  { stopDueAt, isObserved }: Pick<StatusInFlight, 'stopDueAt' | 'isObserved'>,
  now: Date,
): boolean {
  return isObserved !== true && now.getTime() - Date.parse(stopDueAt ?? '') > lateMs;
}

/** Runs that go on past their planned stop. Pure. */
export function lateStopFindings({ inFlight, mode }: ReadStatus, now: Date): readonly JudgedFinding[] {
  return inFlight
    .filter((run) => isLate(run, now))
    .map(({ run, subject, campaignRunId = '', stopDueAt = '' }) => ({
      subject: `${run ?? subject}'s stop`,
      state: 'problem',
      says: `${subject} goes on ${roughly(now.getTime() - Date.parse(stopDueAt))} past its planned stop: stop it at the gateway if it must end now`,
      moments: [{ says: 'planned for', at: stopDueAt }],
      // Then no stop can be sent.
      causes: [gatewayConnection],
      next:
        mode === 'observe'
          ? { says: stopElsewhere }
          : { says: 'Ask for the stop again.', command: ['autopilot', 'send', 'stop', campaignRunId] },
    }));
}

/** Runs of which a request of the start left, and no answer came. */
export function inDoubtFindings({ inFlight }: ReadStatus, now: Date): readonly JudgedFinding[] {
  return inFlight.flatMap(
    ({ run, subject, inDoubtSince, startCommandId = '', isObserved }): readonly JudgedFinding[] => {
      if (inDoubtSince === undefined || isObserved === true) return [];
      return [
        {
          subject: `${run ?? subject}'s start`,
          state: 'warning',
          says: `no answer yet to the start of ${subject}, for ${roughly(now.getTime() - Date.parse(inDoubtSince))}: it may be running`,
          moments: [{ says: 'since', at: inDoubtSince }],
          causes: [gatewayConnection],
          next: {
            says: 'Nothing to do: it is made certain automatically. To see how:',
            command: ['autopilot', 'show', startCommandId],
          },
        },
      ];
    },
  );
}
