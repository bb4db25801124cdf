import { type Guard, guards, judgeStart, othersInFlight } from '#shared/guards/guards.ts';
import type { Judgement, StartQuestion } from '#shared/guards/start-question.ts';
import type { RowChange } from '#shared/ledger/ledger.ts';
import { approvalsOf, type CommandEnd, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import {
  countStart,
  type GuardRow,
  monthOf,
  newGuardRow,
  type Reservation,
  reservationOf,
  uncountStart,
  withoutReservation,
  withReservation,
  withRunInFlight,
} from '#shared/ledger/rows/guard-row.ts';
import {
  newRunIdPool,
  type RunIdPoolRow,
  withLive,
  withRefused,
  withReturned,
  withUsed,
} from '#shared/ledger/rows/run-id-pool-row.ts';
import { plusMs, type RunRow, type SentStart, type StateBefore, stateOf } from '#shared/ledger/rows/run-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { changed, ownRow, runChange } from './decision.ts';
import { dueMs, startInput, startTimes, type StartTimes, validityLeftMs } from './waiting.ts';
import type { Decision, Moment, RunPolicy } from './state.ts';
/** What the guards say about a start, and what a start takes of guard row and run id pool. Pure. */

/** A planned stop that is due within this is waited for: back to back is no overlap. */
const nearlyDueMs = 60_000;

/** What these guards say about this start. */
export function judgeByGuards(moment: Moment, run: RunPolicy, asked: readonly Guard[] = guards): Judgement {
  const question = questionOf(moment, run);
  return judgeStart({ ...question, ending: endingRuns(moment, question) }, asked);
}

function questionOf(moment: Moment, run: RunPolicy): Omit<StartQuestion, 'ending'> {
  const { command, row, campaignRunId, guard, run: runRow, switches, reading, config, now } = moment;
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

/** The runs in the start's way whose planned stop is due or nearly due; if that stop is parked, the run is in the way like any other. */
function endingRuns({ others, now }: Moment, question: Omit<StartQuestion, 'ending'>): readonly Reservation[] {
  return othersInFlight(question).filter(({ campaignRunId, startId, plannedStopAt }) => {
    if (plannedStopAt === undefined || Date.parse(plannedStopAt) > now.getTime() + nearlyDueMs) return false;
    return others.get(commandIds.dueStop(campaignRunId, plannedStopAt, startId))?.outcome?.kind !== 'parked';
  });
}

/** The run in the start's way that ends first; the start waits for it. */
export function firstEnding(moment: Moment, run: RunPolicy): Reservation | undefined {
  const ending = endingRuns(moment, questionOf(moment, run));
  return ending.toSorted((a, b) => (a.plannedStopAt ?? '').localeCompare(b.plannedStopAt ?? ''))[0];
}

/** Whether a repeat comes too late: the validity has passed, the planned stop is due, or a later stop is recorded. */
export function isTooLate(moment: Moment, { plannedStop, issuedAt, startId: id }: SentStart): boolean {
  const { command, now } = moment;
  const isValid = command.override?.guards.includes('validity') === true || validityLeftMs(moment) >= 0;
  const isDue = plannedStop !== undefined && Date.parse(plannedStop.at) <= now.getTime();
  return !isValid || isDue || laterStop(moment, { issuedAt, id }) !== undefined;
}

/** A stop of this run or of its name that is later than a start. It counts as recorded also if the gateway refused it. */
export function laterStop({ run, pool }: Moment, start: CommandOrder): CommandOrder | undefined {
  const stops = [run?.latest?.action === 'stop' ? run.latest : undefined, pool?.latestStop];
  return stops.find((stop) => stop !== undefined && compareCommands(stop, start) > 0);
}

/** A start as it is sent now. */
export function newStart(moment: Moment, run: RunPolicy): SentStart {
  const { command, row, reading, config, now } = moment;
  const times = startTimes(command, run, now, config);
  const confirm = config.mode === 'observe' ? undefined : run.run?.confirm;
  return {
    startId: command.id,
    issuedAt: command.issuedAt,
    firstSentAt: now.toISOString(),
    ...times,
    plannedStop: plannedStopOf(moment, times),
    guardName: run.guards.target,
    campaignId: run.campaignId,
    reading,
    confirm: confirm && { by: confirm.by, until: plusMs(times.effectAt, durationMs(confirm.within) ?? 0) },
    approvals: approvalsOf(row),
  };
}

/**
 * The planned stop of a start. A start that waited for the stop of the run before it ends as if it had not waited. Else, back to back, each start
 * of a day would end later than the one before, until one finds a run that is not nearly over. After any other wait the run has its whole time.
 * So has one that waited for the stop for half of its time or longer (ADR 57).
 */
function plannedStopOf(
  { row, command, now }: Moment,
  { effectAt, startAt, plannedStop }: StartTimes,
): SentStart['plannedStop'] {
  const { behindStop } = row?.attempt ?? {};
  if (plannedStop === undefined || behindStop === undefined || startAt !== undefined) return plannedStop;
  // A start with a delay was not due before.
  const sinceMs = Math.max(Date.parse(behindStop.since), dueMs(command));
  const heldMs = Math.max(0, Date.parse(behindStop.until ?? now.toISOString()) - sinceMs);
  const runsMs = Date.parse(plannedStop.at) - Date.parse(effectAt);
  return heldMs >= runsMs / 2 ? plannedStop : { ...plannedStop, at: plusMs(plannedStop.at, -heldMs) };
}

/** The write before the PATCH of a start, with the mark of this attempt, and the PATCH. */
export function sendStart(
  moment: Moment,
  about: { readonly row: RunRow; readonly run: RunPolicy; readonly start: SentStart },
  verdicts: CommandRow['verdicts'],
): Decision {
  const { row, run, start } = about;
  const { command, delivery, config, campaignRunId = '', now } = moment;
  const before = stateOf(row);
  if ('before' in before) throw new Error(`a start is sent from the state ${before.state}`);
  const lease = { owner: delivery.owner, until: plusMs(now.toISOString(), delivery.remainingMs) };
  const latest = { action: 'start', issuedAt: command.issuedAt, id: command.id } as const;
  const starting = { state: 'starting', start, before: { ...before, latest: row.latest }, lease } as const;
  const own = ownRow(moment);
  const attempt = { crashes: 0, since: now.toISOString(), tries: 0, ...own.attempt, ...lease };
  return {
    changes: [
      runChange(moment, row, starting, { latest, run: run.run?.name ?? row.run }),
      guardWith(moment, run, start),
      ...poolWith(moment, run, start),
      changed<CommandRow>(moment.row, { ...own, campaignRunId, verdicts, attempt }),
    ],
    effect: { do: 'patch', input: startInput({ command, policy: run, campaignRunId }, start, config) },
    then: { kind: 'next' },
  };
}

function guardWith({ guard, campaignRunId = '', config, now }: Moment, run: RunPolicy, start: SentStart): RowChange {
  const reserved = withReservation(guard ?? newGuardRow(start.guardName), reservationOf(campaignRunId, start));
  const { campaign } = run;
  if (campaign === undefined || run.guards.startsPerMonth === undefined) return changed<GuardRow>(guard, reserved);
  const month = monthOf(new Date(start.effectAt), config.timezone);
  return changed<GuardRow>(guard, countStart(reserved, { month, campaign }, start.startId, now));
}

function poolWith({ pool, campaignRunId = '' }: Moment, { run }: RunPolicy, { startId }: SentStart): RowChange[] {
  if (run === undefined) return [];
  const before = pool ?? newRunIdPool(run.name);
  const isListed = run.pool.kind === 'list';
  const after = isListed ? withUsed(before, campaignRunId, startId) : withLive(before, campaignRunId);
  return [changed<RunIdPoolRow>(pool, after)];
}

/**
 * Guard row and pool after a start that began nothing: what it took goes back, and what it replaced has its place again.
 * @param isIdRefused the gateway refused this id for good: it stays used
 */
export function given(
  { guard, pool, campaignRunId = '' }: Moment,
  { startId }: SentStart,
  before: StateBefore,
  isIdRefused = false,
): readonly RowChange[] {
  const changes: RowChange[] = [];
  const replaced = 'start' in before ? before.start : undefined;
  if (guard !== undefined) {
    const back = uncountStart(withoutReservation(guard, campaignRunId), startId);
    const after = replaced === undefined ? back : withReservation(back, reservationOf(campaignRunId, replaced));
    changes.push(changed<GuardRow>(guard, after));
  }
  // What it replaced runs on, and stays live.
  if (pool !== undefined && replaced === undefined) {
    const give = isIdRefused ? withRefused : withReturned;
    changes.push(changed<RunIdPoolRow>(pool, give(pool, campaignRunId, startId)));
  }
  return changes;
}

/** The guard row with the place of this start as the row of its run has it. */
export function guardAgain({ guard, campaignRunId = '' }: Moment, start: SentStart): readonly RowChange[] {
  if (guard === undefined) return [];
  return [changed<GuardRow>(guard, withReservation(guard, reservationOf(campaignRunId, start)))];
}

/** What an applied start keeps: for its event when the run starts and when its stop is due, and until when it counts as in flight. */
export function startFacts(
  { effectAt, plannedStop, until }: SentStart,
  campaign?: string,
): Required<Pick<CommandEnd, 'facts' | 'inFlightUntil'>> {
  const facts = { effectAt, stopDueAt: plannedStop?.at, campaign };
  const known = Object.entries(facts).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return { facts: Object.fromEntries(known), inFlightUntil: until };
}

/** The campaign of the run that a start names; absent if the run is unconfigured. */
export function campaignOf({ start }: Moment): string | undefined {
  return typeof start === 'object' ? start.campaign : undefined;
}

/** When the run of an unproven start may have been running. */
export function intervalOf({ firstSentAt, startAt, plannedStop, until }: SentStart): {
  readonly from: string;
  readonly until: string;
} {
  return { from: startAt ?? firstSentAt, until: plannedStop?.at ?? until };
}
