import { ownScheduleNames, packageWatchScheduleName, projectWatchScheduleName } from '#shared/config/schema/names.ts';
import { isParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import { after, type JudgedFinding, makeAgain, putBack } from '../finding.ts';
import type { SilentSchedule } from '../status/run-facts.ts';
import type { ReadStatus } from '../status/status.ts';
import { gatewayConnection } from '../stage/gate-status.ts';
import { switchSubject } from '../switches/switches.ts';

/** Schedules that are gone or disabled, or that all are in order. Pure. */
export function scheduleNeeds({ schedules }: ReadStatus, scheduled: readonly string[]): readonly JudgedFinding[] {
  const missing = scheduled.filter((name) => !schedules.some((schedule) => schedule.name === name));
  const wrong: readonly JudgedFinding[] = [
    ...missing.map((name): JudgedFinding => ({
      subject: `schedule ${name}`,
      state: 'problem',
      says: 'it was deleted: nothing starts at its times',
      next: makeAgain,
    })),
    ...schedules.filter(({ isEnabled }) => !isEnabled).map(({ name }) => disabledSchedule(name)),
  ];
  if (wrong.length > 0) return wrong;
  const next = schedules.find((schedule) => schedule.next !== undefined);
  return [
    {
      subject: 'schedules',
      state: 'ok',
      says: `all ${schedules.length} are enabled`,
      moments: next?.next === undefined ? [] : [{ says: `next is ${next.name}`, at: next.next }],
    },
  ];
}

/** Only a schedule of commands can be disabled by the configuration. */
function disabledSchedule(name: string): JudgedFinding {
  const subject = `schedule ${name}`;
  const isOurs = [packageWatchScheduleName(''), projectWatchScheduleName(''), ...ownScheduleNames].some((own) =>
    name.startsWith(own),
  );
  if (isOurs) {
    return {
      subject,
      state: 'problem',
      says: 'it was disabled manually: nothing looks any more',
      next: after('Enable it in EventBridge Scheduler, or:', putBack),
    };
  }
  return {
    subject,
    state: 'warning',
    says: 'it is disabled, by the configuration or manually: it starts nothing',
    next: {
      says: 'Take enabled: false away in automation.config.ts and deploy; else enable it in EventBridge Scheduler.',
    },
  };
}

/** Each is a thing to act on, on purpose or not: nothing is tested at its hours. If what blocked it has ended, it is a thing to know. */
export function silentFindings({ silent = [] }: ReadStatus): readonly JudgedFinding[] {
  return silent.map((schedule) => {
    const { name, missed, since, reason, meaning, next, startsAgainAt } = schedule;
    return {
      subject: `${name}'s starts`,
      state: schedule.startsAgain === true ? 'warning' : 'problem',
      says: `${missed} without a start (${reason}: ${meaning})`,
      moments: [
        { says: 'since', at: since },
        ...(startsAgainAt === undefined ? [] : [{ says: 'next start', at: startsAgainAt }]),
      ],
      causes: schedule.startsAgain === true ? [] : causesOf(schedule),
      next,
    };
  });
}

/** Starts that wait for the gateway end so. */
const waitedTooLong: ReadonlySet<SilenceReason> = new Set(['MISSED_WINDOW', 'NO_OUTCOME']);

function causesOf({ name, reason, heldBy, run, campaign }: SilentSchedule): readonly string[] {
  if (heldBy !== undefined) return [switchSubject(heldBy)];
  if (reason === 'OBSERVED') return ['mode'];
  if (reason === 'BUDGET') return [`${campaign}'s budget`];
  if (reason === 'DISABLED' || reason === 'DELETED') return [`schedule ${name}`];
  if (waitedTooLong.has(reason)) return [gatewayConnection];
  if (reason === 'NO_RUN_LEFT') return [`${run}'s ids`, 'parked'];
  return isParkReason(reason) ? ['parked'] : [];
}
