/** What the guards say about a start, which runs it waits for, and when it is too late. Pure. */
import { type Guard, guards, judgeStart, othersInFlight } from '#shared/guards/guards.ts';
import type { Judgement, StartQuestion } from '#shared/guards/start-question.ts';
import { type Reservation, withRunInFlight } from '#shared/ledger/rows/guard-row.ts';
import type { SentStart } from '#shared/ledger/rows/run-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { startTimes } from './send-start.ts';
import type { Moment, StartMoment } from './state.ts';
import { validityLeftMs } from './waiting.ts';

/** A planned stop that is due within this is waited for: back to back is no overlap. */
const nearlyDueMs = 60_000;

/** What the guards say about a start. */
export type JudgedStart = Judgement & {
  /** The runs in its way that end by themselves, the first one first: they refuse nothing, and the start waits for them. */
  readonly ending: readonly Reservation[];
};

/** What these guards say about this start. */
export function judgeByGuards(moment: StartMoment, asked: readonly Guard[] = guards): JudgedStart {
  const question = questionOf(moment);
  const inTheWay = othersInFlight(question);
  const isOverridden = moment.command.override?.guards.includes('overlap') === true;
  const waitedFor = inTheWay.filter((one) => !isOverridden || one.campaignRunId === moment.campaignRunId);
  const ending = endingAmong(waitedFor, moment);
  const noRoom = inTheWay.filter((one) => !hasRoomForStop(one, moment.command));
  return { ...judgeStart({ ...question, ending, noRoom }, asked), ending };
}

function questionOf(moment: StartMoment): Omit<StartQuestion, 'ending' | 'noRoom'> {
  const { command, start: run, row, campaignRunId, guard, run: runRow, switches, reading, config, now } = moment;
  const { blackouts, timezone } = config;
  return {
    command,
    deferredUntil: row?.deferred?.until,
    campaign: run.campaign,
    campaignId: run.campaignId,
    guards: run.guards,
    campaignRunId,
    guard: withRunInFlight(guard, run.guards.target, runRow),
    switches,
    blackouts,
    timezone,
    // Only a minimum gap is judged by the campaign.
    reading: run.guards.minimumGap === undefined ? undefined : reading,
    now,
    effectAt: new Date(startTimes(command, run, now, config).effectAt),
  };
}

/** The runs in the start's way whose planned stop is due or nearly due, the first one first. If that stop is parked, the run is in the way like any other. */
function endingAmong(inTheWay: readonly Reservation[], { others, now }: Moment): readonly Reservation[] {
  const ending = inTheWay.filter((one) => {
    if (!isNearlyDue(one, now)) return false;
    const stopId = commandIds.dueStop(one.campaignRunId, one.plannedStopAt, one.startId);
    return others.get(stopId)?.outcome?.kind !== 'parked';
  });
  return ending.toSorted((a, b) => (a.plannedStopAt ?? '').localeCompare(b.plannedStopAt ?? ''));
}

/**
 * The stop that makes room is issued 1 ms before the start. It has to be later than the start of
 * the run that it stops.
 */
function hasRoomForStop({ issuedAt }: Reservation, start: CommandOrder): boolean {
  return Date.parse(start.issuedAt) - Date.parse(issuedAt) > 1;
}

/** Whether the planned stop of a run is due, or so soon that a start waits for it. */
export function isNearlyDue(one: Reservation, now: Date): one is Reservation & { readonly plannedStopAt: string } {
  return one.plannedStopAt !== undefined && Date.parse(one.plannedStopAt) <= now.getTime() + nearlyDueMs;
}

/** Whether a repeat comes too late: the validity has passed, the run would be over, or a later stop is recorded. */
export function isTooLate(moment: Moment, { plannedStop, until, issuedAt, startId: id }: SentStart): boolean {
  const { command, now } = moment;
  const isValid = command.override?.guards.includes('validity') === true || validityLeftMs(moment) >= 0;
  const isDue = Date.parse(plannedStop?.at ?? until) <= now.getTime();
  return !isValid || isDue || laterStop(moment, { issuedAt, id }) !== undefined;
}

/** A stop of this run or of its name that is later than a start. It counts as recorded also if the gateway refused it. */
export function laterStop({ run, pool }: Moment, start: CommandOrder): CommandOrder | undefined {
  const stops = [run?.latest?.action === 'stop' ? run.latest : undefined, pool?.latestStop];
  return stops.find((stop) => stop !== undefined && compareCommands(stop, start) > 0);
}
