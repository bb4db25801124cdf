import { ownScheduleNames, packageWatchScheduleName, projectWatchScheduleName } from '#shared/config/schema/names.ts';
import { isParkReason } from '#shared/vocabulary/reason-codes.ts';
import { silenceNextStep, type SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import { campaignHeldBy } from '#shared/ledger/switches.ts';
import type { SwitchScope } from '#shared/ledger/rows/stage-rows.ts';
import { after, type JudgedFinding, makeAgain, putBack, judged } from '../finding.ts';
import type { SilentSchedule } from '../status/run-facts.ts';
import type { ReadStatus } from '../status/status.ts';
import { gatewayConnection } from '../stage/gate-status.ts';
import { switchSubject } from '../switches/switches.ts';

/** Schedules that are gone or disabled, or that all are in order. Pure. */
export function scheduleNeeds({ schedules }: ReadStatus, scheduled: readonly string[]): readonly JudgedFinding[] {
  const missing = scheduled.filter((name) => !schedules.some((schedule) => schedule.name === name));
  const wrong: readonly JudgedFinding[] = [
    ...missing.map((name) =>
      judged.problem(`schedule ${name}`, 'it was deleted: nothing starts at its times', { next: makeAgain }),
    ),
    ...schedules.filter(({ isEnabled }) => !isEnabled).map(({ name }) => disabledSchedule(name)),
  ];
  if (wrong.length > 0) return wrong;
  const next = schedules.find((schedule) => schedule.next !== undefined);
  const moments = next?.next === undefined ? [] : [{ says: `next is ${next.name}`, at: next.next }];
  return [judged.ok('schedules', `all ${schedules.length} are enabled`, { moments })];
}

/** Only a schedule of commands can be disabled by the configuration. */
function disabledSchedule(name: string): JudgedFinding {
  const subject = `schedule ${name}`;
  const isOurs = [packageWatchScheduleName(''), projectWatchScheduleName(''), ...ownScheduleNames].some((own) =>
    name.startsWith(own),
  );
  if (isOurs) {
    const next = after('Enable it in EventBridge Scheduler, or:', putBack);
    return judged.problem(subject, 'it was disabled manually: nothing looks any more', { next });
  }
  return judged.warning(subject, 'it is disabled, by the configuration or manually: it starts nothing', {
    next: {
      says: 'Take enabled: false away in automation.config.ts and deploy; else enable it in EventBridge Scheduler.',
    },
  });
}

/** Each is a thing to act on, on purpose or not: nothing is tested at its hours. If what blocked it has ended, it is a thing to know. */
export function silentFindings(status: ReadStatus): readonly JudgedFinding[] {
  const { silent = [], schedules } = status;
  return silent.map((one) => {
    const { name, missed, since, reason, meaning } = one;
    const subject = `${name}'s starts`;
    const moments = [{ says: 'since', at: since }];
    const says = `${missed} without a start (${reason}`;
    const itsCauses = causesOf(one, status);
    if (itsCauses !== undefined)
      return judged.problem(subject, `${says}: ${meaning})`, {
        moments,
        causes: itsCauses,
        next: silenceNextStep(reason),
      });
    const { next, skipped } = schedules.find((schedule) => schedule.name === name) ?? {};
    const startsAt = next === undefined || skipped !== undefined ? [] : [{ says: 'next start', at: next }];
    return judged.warning(subject, `${says})`, {
      moments: [...moments, ...startsAt],
      next: { says: 'Nothing to do: what blocked them has ended.' },
    });
  });
}

/** What goes on to block starts: subjects that explain it; `undefined` if that has ended. */
type Causes = (silent: SilentSchedule, status: ReadStatus) => readonly string[] | undefined;

const disabled: Causes = ({ name }, { schedules }) =>
  schedules.some((one) => one.name === name && one.isEnabled) ? undefined : [`schedule ${name}`];
const waitedTooLong: Causes = ({ endedAt }, { gate }) =>
  gate.state !== 'open' && (endedAt === undefined || gate.since <= endedAt) ? [gatewayConnection] : [];

/** By the reason of the last start; what is younger than that start did not block it. */
const causes: Readonly<Partial<Record<SilenceReason, Causes>>> = {
  FROZEN: (silent, status) => holdersOf(silent, status, ['stage']),
  PAUSED: (silent, status) => holdersOf(silent, status, ['schedule', 'campaign']),
  HELD_BY_ALARM: (silent, status) => holdersOf(silent, status, ['alarm']),
  OBSERVED: () => ['mode'],
  DISABLED: disabled,
  DELETED: disabled,
  MISSED_WINDOW: waitedTooLong,
  NO_OUTCOME: waitedTooLong,
  BUDGET: ({ campaign }, { budgets = [] }) =>
    budgets.some((one) => one.campaign === campaign && one.used < one.startsPerMonth)
      ? undefined
      : [`${campaign}'s budget`],
  NO_RUN_LEFT: ({ run }, { ids = [] }) =>
    ids.some((one) => one.run === run && one.left > 0) ? undefined : [`${run}'s ids`, 'parked'],
};

function causesOf(silent: SilentSchedule, status: ReadStatus): readonly string[] | undefined {
  const its = causes[silent.reason];
  if (its !== undefined) return its(silent, status);
  return isParkReason(silent.reason) ? ['parked'] : [];
}

/** The freezes, pauses or holds of these kinds that are on since before the last start. None, if the campaign is not known. */
function holdersOf(
  { name, campaign, last, endedAt = last }: SilentSchedule,
  { switches }: ReadStatus,
  scopes: readonly SwitchScope[],
): readonly string[] | undefined {
  const able = switches.filter((one) => scopes.includes(one.scope) && one.at <= endedAt);
  const on = able.filter((one) =>
    one.scope === 'schedule' ? one.name === name : one.scope === 'stage' || campaignHeldBy(one) === campaign,
  );
  if (on.length > 0) return on.map((one) => switchSubject(one));
  const isUnknown = campaign === undefined && able.some((one) => campaignHeldBy(one) !== undefined);
  return isUnknown ? [] : undefined;
}
