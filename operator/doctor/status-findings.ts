import { ownScheduleNames, packageWatchScheduleName, projectWatchScheduleName } from '#shared/config/names.ts';
import { type Finding, makeAgain, putBack } from '../finding.ts';
import { groupsOf } from '../parked/parked-rows.ts';
import { roughly } from '../readable.ts';
import type { StageStatus } from '../status/stage-status.ts';
import { heldBack, liftingLine, saidBy, stateWords } from '../switches/switches.ts';

/** What a person must do or should know about a stage, the first before the second, by the stage's own clock. Pure. */
export function needsOf(status: StageStatus): readonly Finding[] {
  const findings = statusFindings(status);
  return (['problem', 'warning'] as const).flatMap((state) => findings.filter((finding) => finding.state === state));
}

/**
 * What of the status needs a person, by the stage's own clock. Pure.
 * @param scheduled - the schedules that were deployed, to find those that were deleted since
 */
export function statusFindings(status: StageStatus, scheduled: readonly string[] = []): readonly Finding[] {
  const now = new Date(status.now);
  return [
    gateFinding(status, now),
    ...modeFindings(status),
    ...switchFindings(status, now),
    ...scheduleFindings(status, scheduled),
    ...silentFindings(status),
    ...lateStopFindings(status, now),
    deadLetterFinding(status),
    parkedFinding(status),
  ];
}

function gateFinding({ gate }: StageStatus, now: Date): Finding {
  const subject = 'gate';
  if (gate.state === 'open') return { subject, state: 'ok', says: 'open: workers call the gateway' };
  const since = `for ${roughly(now.getTime() - Date.parse(gate.since))} (since ${gate.since})`;
  if (gate.state === 'paused') {
    return {
      subject,
      state: 'warning',
      says: `paused ${since}: ${gate.reason}`,
      next: `nothing: it ends at ${gate.until}`,
    };
  }
  return {
    subject,
    state: 'problem',
    says: `closed ${since}: ${gate.reason}`,
    next: `repair what is said of token and gateway; it opens by itself, the next probe is at ${gate.until}`,
  };
}

function modeFindings(status: StageStatus): readonly Finding[] {
  if (status.mode !== 'observe') return [];
  return [
    {
      subject: 'mode',
      state: 'warning',
      says: 'the stage only observes: nothing is started, stopped or registered',
      next: "mode: 'act' in automation.config.ts and deploy, once it is to act",
    },
  ];
}

/** On purpose, and forgotten more often than people think: one without an end is a thing to act on. */
function switchFindings({ switches }: StageStatus, now: Date): readonly Finding[] {
  return switches.map((one) => ({
    subject: one.scope === 'stage' ? 'freeze' : `${one.scope} ${one.name}`,
    state: one.until === undefined ? 'problem' : 'warning',
    says: `${stateWords(one)} ${saidBy(one, now)}; ${heldBack(one)}`,
    next: liftingLine(one),
  }));
}

function scheduleFindings({ schedules }: StageStatus, scheduled: readonly string[]): readonly Finding[] {
  const missing = scheduled.filter((name) => !schedules.some((schedule) => schedule.name === name));
  const wrong: readonly Finding[] = [
    ...missing.map((name): Finding => ({
      subject: `schedule ${name}`,
      state: 'problem',
      says: 'it was deleted: nothing fires at its times',
      next: makeAgain,
    })),
    ...schedules.filter(({ isEnabled }) => !isEnabled).map(({ name }) => disabledSchedule(name)),
  ];
  if (wrong.length > 0) return wrong;
  const next = schedules.find((schedule) => schedule.next !== undefined);
  const first = next === undefined ? '' : `; the next is ${next.name} at ${next.next}`;
  return [{ subject: 'schedules', state: 'ok', says: `all ${schedules.length} are enabled${first}` }];
}

/** Each is a thing to act on, on purpose or not: nothing is tested at its hours. If what held it back is over, it is a thing to know. */
function silentFindings({ silent = [] }: StageStatus): readonly Finding[] {
  return silent.map(({ name, missed, since, reason, meaning, next, startsAgain }) => ({
    subject: `schedule ${name}`,
    state: startsAgain === true ? 'warning' : 'problem',
    says: `it starts nothing: ${missed} without a start since ${since} (${reason}: ${meaning})`,
    next,
  }));
}

/** Only a schedule of commands can be disabled by the configuration. */
function disabledSchedule(name: string): Finding {
  const subject = `schedule ${name}`;
  const isOurs = [packageWatchScheduleName(''), projectWatchScheduleName(''), ...ownScheduleNames].some((own) =>
    name.startsWith(own),
  );
  if (isOurs) {
    return {
      subject,
      state: 'problem',
      says: 'it was disabled by hand: nothing looks any more',
      next: `enable it in EventBridge Scheduler, or ${putBack}`,
    };
  }
  return {
    subject,
    state: 'warning',
    says: 'it is disabled, by the configuration or by hand: it fires no more',
    next: 'take enabled: false away in automation.config.ts and deploy; else enable it in EventBridge Scheduler',
  };
}

/** watch-campaigns sends a stop within a minute; what is later than two is late for a reason. */
const lateMs = 2 * 60_000;

function lateStopFindings({ inFlight }: StageStatus, now: Date): readonly Finding[] {
  return inFlight.flatMap(({ subject, stopDueAt, campaignRunId, isObserved }): readonly Finding[] => {
    const lateByMs = now.getTime() - Date.parse(stopDueAt ?? '');
    if (isObserved === true || !(lateByMs > lateMs)) return [];
    return [
      {
        subject: 'late stop',
        state: 'problem',
        says: `the stop of ${subject} was due at ${stopDueAt}, ${roughly(lateByMs)} ago`,
        next: `stop it at the gateway by hand, then autopilot send stop ${campaignRunId}`,
      },
    ];
  });
}

function deadLetterFinding({ queues }: StageStatus): Finding {
  const subject = 'dead letters';
  const held = queues.filter(({ isDeadLetter, waiting, inFlight }) => isDeadLetter && waiting + inFlight > 0);
  if (held.length === 0) return { subject, state: 'ok', says: 'none' };
  return {
    subject,
    state: 'problem',
    says: held.map(({ name, waiting, inFlight }) => `${waiting + inFlight} in ${name}`).join('; '),
    next: 'park-dead-letters takes them within minutes; if they stay, read its log, and never purge them',
  };
}

function parkedFinding({ parked }: StageStatus): Finding {
  const subject = 'parked';
  if (parked.length === 0) return { subject, state: 'ok', says: 'nothing waits for a person' };
  const groups = groupsOf(parked).map(({ reason, count }) => `${count} ${reason}`);
  return { subject, state: 'problem', says: groups.join(', '), next: 'autopilot parked list' };
}
