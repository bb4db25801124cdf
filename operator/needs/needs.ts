/** The one list of what needs attention at a stage: status, doctor, console and report show it, and none judges again. Pure. */
import { type Finding, isNeed, type JudgedFinding, withCauses, judged } from '../finding.ts';
import { foundNeeds } from '../parked/findings.ts';
import { groupsOf } from '../parked/parked-rows.ts';
import { counted } from '../readable.ts';
import type { ReadStatus } from '../status/status.ts';
import { alarmFindings } from './alarm-needs.ts';
import { heldBack, liftingCommand, stateWords, switchSubject } from '../switches/switches.ts';
import { stopElsewhere } from '../runs/runs-in-flight.ts';
import { runFindings } from './run-needs.ts';
import { scheduleNeeds, silentFindings } from './schedule-needs.ts';
import { gatewayFindings } from './gateway-needs.ts';
import type { IdsLeft, Supplies } from '../plan/ids-left.ts';
import { areShort, idsWords } from '../plan/ids-words.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** What you must do or should know about a stage: the most pressing first, and what follows from it right behind it. */
export function needsOf(status: ReadStatus): readonly Finding[] {
  const needs = withCauses(judgedFindings(status)).filter(isNeed);
  const rooted = (finding: Finding): readonly Finding[] => [
    finding,
    ...needs.filter(({ causedBy }) => causedBy === finding.subject).flatMap(rooted),
  ];
  return (['problem', 'warning'] as const).flatMap((state) =>
    needs.filter((finding) => finding.state === state && finding.causedBy === undefined).flatMap(rooted),
  );
}

/**
 * Everything that the status shows, also what is in order, by the stage's own clock.
 * @param scheduled - the schedules that were deployed, to find those that were deleted since
 */
export function judgedFindings(status: ReadStatus, scheduled: readonly string[] = []): readonly JudgedFinding[] {
  const now = new Date(status.now);
  return [
    ...runFindings(status),
    ...foundNeeds(status.findings),
    ...gatewayFindings(status, now),
    deadLetterFinding(status),
    parkedFinding(status),
    ...silentFindings(status),
    ...scheduleNeeds(status, scheduled),
    ...modeFindings(status),
    ...supplyFindings(status),
    ...calendarFindings(status, now),
    ...alarmFindings(status),
    ...switchFindings(status),
  ];
}

function modeFindings({ mode, inFlight }: ReadStatus): readonly JudgedFinding[] {
  if (mode !== 'observe') return [];
  const real = inFlight.filter(({ kind, isObserved }) => kind === 'run' && isObserved !== true).length;
  if (real > 0) {
    const goOn =
      real === 1 ? '1 run that was started for real goes on' : `${real} runs that were started for real go on`;
    const says = `the stage only observes, so no stop is sent: ${goOn}`;
    return [judged.problem('mode', says, { next: { says: stopElsewhere } })];
  }
  const next = { says: "Once it is to act, set mode: 'act' in automation.config.ts and deploy." };
  return [judged.warning('mode', 'the stage only observes: nothing is started, stopped or registered', { next })];
}

/** On purpose, and forgotten more often than people think: one without an end is a thing to act on. */
function switchFindings({ switches }: ReadStatus): readonly JudgedFinding[] {
  const byPeople = switches.filter(({ scope }) => scope !== 'alarm');
  return byPeople.map((one) => {
    const { by, at, until, reason } = one;
    const says = `${stateWords(one)} by ${by}: ${reason}; ${heldBack(one)}`;
    return judged[until === undefined ? 'problem' : 'warning'](switchSubject(one), says, {
      moments: [{ says: 'since', at }, ...(until === undefined ? [] : [{ says: 'until', at: until }])],
      next: { says: 'To end it:', command: liftingCommand(one) },
    });
  });
}

function deadLetterFinding({ queues }: ReadStatus): JudgedFinding {
  const subject = 'dead letters';
  const held = queues.filter(({ isDeadLetter, waiting, inFlight }) => isDeadLetter && waiting + inFlight > 0);
  if (held.length === 0) return judged.ok(subject, 'none');
  const says = held.map(({ name, waiting, inFlight }) => `${waiting + inFlight} in ${name}`).join(', ');
  return judged.problem(subject, says, {
    next: {
      says: 'park-dead-letters takes them within minutes. If they stay, read its log, and never purge them.',
      command: ['autopilot', 'runbook', 'DeadLettersWaiting'],
    },
  });
}

function parkedFinding({ parked, ids = [] }: ReadStatus): JudgedFinding {
  const subject = 'parked';
  if (parked.length === 0) return judged.ok(subject, 'nothing needs a decision');
  const groups = groupsOf(parked);
  const empty = ids.find(({ run, left }) => left === 0 && parked.every((row) => row.run === run));
  const isOfIds = empty !== undefined && groups.every(({ reason }) => reason === 'NO_RUN_LEFT');
  const reasons = groups.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  const says = `${counted(parked.length, 'item')} need${parked.length === 1 ? 's' : ''} a decision: ${reasons}`;
  return judged.problem(subject, says, {
    // Each of them waits for an id of the run that has none.
    causes: isOfIds ? [`${empty.run}'s ids`] : [],
    next: { says: 'Decide each.', command: ['autopilot', 'parked', 'list'] },
  });
}

/** Fewer starts than this are reported: a month's end is near, or the budget is. */
const lowStarts = 3;

/** Run ids and starts of the month that are used up, or soon will be. Pure. */
function supplyFindings({ ids = [], budgets = [], idsUnread }: ReadStatus): readonly JudgedFinding[] {
  const subject = 'run ids and budgets';
  if (idsUnread !== undefined) return [judged.unknown(subject, `could not be read: ${idsUnread}`)];
  const findings = [...ids.map(bindingFinding), ...budgets.map(budgetFinding)];
  if (findings.length > 0) return findings;
  return [judged.ok(subject, 'no run is configured, and no campaign has a budget')];
}

function bindingFinding(ids: IdsLeft): JudgedFinding {
  const { run, left, lastsUntil, pool } = ids;
  const moments = [
    ...(lastsUntil === undefined ? [] : [{ says: 'enough until', at: lastsUntil }]),
    ...(pool?.failing === undefined ? [] : [{ says: 'none is made since', at: pool.failing.since }]),
    ...(pool?.begins === undefined ? [] : [{ says: 'unused ones begin from', at: pool.begins }]),
  ];
  const [subject, says] = [`${run}'s ids`, idsWords(ids)];
  if (!areShort(ids)) return judged.ok(subject, says, { moments });
  const create = 'Create runs at the gateway (examples/fill-pool.mjs does), then add their ids in the place of UUID.';
  const next =
    pool === undefined
      ? { says: create, command: ['autopilot', 'bind', run, 'UUID'] }
      : { says: 'See what keeps the gateway from making runs:', command: ['autopilot', 'runbook', 'RunPoolNotFilled'] };
  return judged[left === 0 ? 'problem' : 'warning'](subject, says, { moments, next });
}

/** A month is time enough to get the next one. */
const earlyMs = 30 * dayMs;

/** Calendar files that soon say nothing more: every start passes their blackout from then on. Pure. */
function calendarFindings({ calendars = [] }: ReadStatus, now: Date): readonly JudgedFinding[] {
  return calendars.map(({ blackout, file, endsAt }) => {
    const left = Date.parse(endsAt) - now.getTime();
    const subject = `the calendar of ${blackout}`;
    const moments = [{ says: 'closed last until', at: endsAt }];
    if (left > earlyMs) return judged.ok(subject, `${file} has times to come`, { moments });
    const says = `${file} ${left > 0 ? 'ends within a month' : 'has ended'}: no start is blocked after it`;
    return judged.warning(subject, says, {
      moments,
      next: { says: `Write the coming events into ${file}, and deploy.` },
    });
  });
}

function budgetFinding({ campaign, month, used, startsPerMonth }: Supplies['budgets'][number]): JudgedFinding {
  const left = startsPerMonth - used;
  const subject = `${campaign}'s budget`;
  const says = `${used} of ${startsPerMonth} starts of ${month} are used`;
  const next = {
    says: 'Raise startsPerMonth and deploy. One start more, with its run in the place of RUN and your reason in that of TEXT:',
    command: ['autopilot', 'send', 'start', 'RUN', '--override', 'budget', '--reason', 'TEXT'],
  };
  if (left <= 0) return judged.problem(subject, `${says}: every further one is skipped (BUDGET)`, { next });
  return left < lowStarts && used > 0 ? judged.warning(subject, says, { next }) : judged.ok(subject, says);
}
