import { isInFlight } from '../run-state/run-groups.ts';
import { type JudgedFinding, judged } from '../finding.ts';
import type { AlarmReport } from '../switches/alarm-holds.ts';
import { heldBack, liftingCommand, stateWords, switchSubject } from '../switches/switches.ts';
import type { ReadStatus } from '../status/status.ts';
import type { Step } from '#shared/text/step.ts';

/** Alarms that ring or hold a campaign: since when, and what goes on all the same. Pure. */
export function alarmFindings({ alarms = [], runs }: Pick<ReadStatus, 'alarms' | 'runs'>): readonly JudgedFinding[] {
  return alarms.map((one) => {
    const rings = one.isFollowed && one.ringsSince !== undefined;
    const moment = rings ? { says: 'rings since', at: one.ringsSince } : { says: 'since', at: one.at };
    return judged.problem(switchSubject(one), saysOf(one), { moments: [moment], next: stepOf(one, runs) });
  });
}

function saysOf(one: AlarmReport): string {
  const { alarm, campaign, by, reason } = one;
  if (!one.isHeld)
    return `alarm ${alarm} rings, and ${by} lifted its hold of ${campaign}: ${reason}; its starts are sent`;
  const why = one.isFollowed ? 'it rings' : `${campaign} halts on it no longer`;
  return `${stateWords(one)} by alarm ${alarm}: ${why}; ${heldBack(one)}`;
}

/** What helps now: an end of the attack, before anything else. */
function stepOf(one: AlarmReport, runs: ReadStatus['runs']): Step {
  const { alarm, campaign } = one;
  const goOn = runs.filter(
    (run) =>
      run.campaign === campaign &&
      isInFlight(run) &&
      run.state !== 'stopping' &&
      (!one.isHeld || run.overrode?.includes('alarm') === true),
  );
  const reason = ['--reason', `alarm ${alarm} rings`];
  const [run, ...others] = goOn;
  if (run !== undefined) {
    const why = one.isHeld ? ', since the start overrode the alarm' : '';
    return others.length === 0
      ? { says: `${run.run} goes on${why}. To stop it:`, command: ['autopilot', 'send', 'stop', run.run, ...reason] }
      : {
          says: `${goOn.length} runs go on${why}. To stop every run that is in flight:`,
          command: ['autopilot', 'stop', '--all-in-flight', ...reason],
        };
  }
  if (!one.isFollowed) return { says: 'To end the hold:', command: liftingCommand(one) };
  if (!one.isHeld)
    return { says: 'To block its starts:', command: ['autopilot', 'pause', 'campaign', campaign, ...reason] };
  return {
    says: 'Find out why it rings. Starts go on automatically once it is OK.',
    command: ['autopilot', 'runbook', 'HELD_BY_ALARM'],
  };
}
