import { beginsUntil, clockMarginMs } from '#shared/ledger/read-back.ts';
import type { RowChange } from '#shared/ledger/ledger.ts';
import { approvalsOf, type CommandEnd, type CommandRow, waitingRow } from '#shared/ledger/rows/command-row.ts';
import { freed, type GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { type RunIdPoolRow, withoutLive } from '#shared/ledger/rows/run-id-pool-row.ts';
import {
  type Idle,
  landsForMs,
  laterOf,
  plusMs,
  type RunRow,
  type RunState,
  type StateBefore,
  type Stopping,
  type StopUnknown,
} from '#shared/ledger/rows/run-row.ts';
import { endRun } from './decide-stop.ts';
import {
  applied,
  changed,
  otherEnds,
  parked,
  runChange,
  shortWaitMs,
  superseded,
  type Wait,
  waits,
} from './decision.ts';
import { intervalOf, startNeverAnswered } from './end-start.ts';
import type { Answered, CallFailure, Decision, Moment } from './state.ts';
import { delayAfter, longestStopWaitMs, stopWaitMs, weighed } from './waiting.ts';

/** The row of a stop that this attempt sent. */
type StopRow = RunRow & Stopping;

/** What an answer to the PATCH of a stop means: of this command, or of the planned stop that a start sent. Pure. */
export function decideStopAnswer(moment: Moment, row: StopRow, { answer, sentAt }: Answered): Decision {
  const { command, others, now } = moment;
  const { stop, before, appliedAt } = row;
  if (answer.kind === 'applied') return endStopped(moment, row, sentAt, answer.detail);
  const isOwn = stop.id === command.id;
  const attempt = isOwn ? moment.row?.attempt : others.get(stop.id)?.attempt;
  const { failure, refusals } = weighed(answer, attempt, moment);
  const { why, evidence } = failure;
  if (failure.kind === 'refused') {
    const since = stoppedSince(failure, row);
    if (since !== undefined) return endStopped(moment, row, sentAt, `${since}; the gateway says: ${why}`);
    return endRefused(moment, row, failure);
  }
  const { notBefore } = row;
  const landsUntil = laterOf(row.landsUntil, plusMs(now.toISOString(), landsForMs));
  const next: RunState =
    failure.kind === 'no-answer'
      ? { state: 'stop-unknown', stop, before, landsUntil, appliedAt }
      : { state: 'stopping', stop, before, notBefore, landsUntil: row.landsUntil, appliedAt };
  const delayMs = Math.min(stopWaitMs(moment.delivery), delayAfter(failure, moment));
  return waitsForStop(moment, stop.id, {
    delayMs,
    why,
    changes: [runChange(moment, row, next)],
    failed: { evidence, refusals },
  });
}

/** The tries of a planned stop that a start sent are counted in the stop's own row; the start looks again soon. */
function waitsForStop(moment: Moment, id: string, wait: Wait): Decision {
  if (id === moment.command.id) return waits(moment, wait);
  const due = moment.others.get(id);
  const tried = due === undefined ? [] : [changed<CommandRow>(due, waitingRow(due, wait, moment.now))];
  return waits(moment, { delayMs: shortWaitMs, why: wait.why, changes: [...(wait.changes ?? []), ...tried] });
}

/** A refusal that only says that the run is stopped already; it counts if an earlier stop was applied. */
function stoppedSince({ evidence }: CallFailure, { before, appliedAt }: Stopping): string | undefined {
  if (![409, 412, 422].includes(evidence.httpStatus ?? 0)) return undefined;
  if (appliedAt !== undefined) return `stopped since ${appliedAt}`;
  const stopped = before.state === 'idle' ? before.stopped : undefined;
  return stopped && `stopped since ${stopped.at} (${stopped.id})`;
}

/** The gateway accepted it. If a start may still begin, it goes out once more after that; else the run is idle. */
function endStopped(moment: Moment, row: StopRow, sentAt: Date, detail?: string): Decision {
  const { now } = moment;
  const { stop, before, landsUntil, campaignRunId, appliedAt = now.toISOString() } = row;
  const surelyMs = beginsUntil(before);
  if (surelyMs > sentAt.getTime()) {
    const notBefore = new Date(surelyMs).toISOString();
    const next: Stopping = { state: 'stopping', stop, before, landsUntil, notBefore, appliedAt };
    const why = 'stopped; an earlier start may still begin: it is stopped once more after that';
    const delayMs = Math.min(longestStopWaitMs, Math.max(shortWaitMs, surelyMs - now.getTime()));
    return waitsForStop(moment, stop.id, { delayMs, why, changes: [runChange(moment, row, next)] });
  }
  return endOfStop(moment, row, applied(campaignRunId, detail ?? `run ${campaignRunId} stopped`), settled(moment, row));
}

/** The stop's own command ends. A start that sent a planned stop goes on at once, so that back to back is no growing delay. */
function endOfStop(moment: Moment, { stop }: StopRow, end: CommandEnd, changes: readonly RowChange[]): Decision {
  if (stop.id === moment.command.id) return endRun(moment, end, changes);
  return { changes: [...changes, ...otherEnds(moment, stop.id, end)], then: { kind: 'next' } };
}

/** Every row that an applied stop settles. A planned stop that it took over has ended too; if this stop is refused, that one still has to go out. */
function settled(moment: Moment, row: StopRow): readonly RowChange[] {
  const { stop, before, landsUntil, appliedAt } = row;
  const { guard, pool, campaignRunId = '', now } = moment;
  const at = now.toISOString();
  // A stop that went out once more has held since the first time.
  const next: Idle = { ...noStartBefore(before, landsUntil), stopped: { id: stop.id, at: appliedAt ?? at } };
  const taken = superseded(campaignRunId, 'a later stop of this run took over');
  const changes = [runChange(moment, row, next), ...otherEnds(moment, stop.tookOver, taken)];
  if (pool?.live.includes(campaignRunId) === true) {
    changes.push(changed<RunIdPoolRow>(pool, withoutLive(pool, campaignRunId)));
  }
  if (before.state === 'idle') return changes;
  const { startId } = before.start;
  if (guard !== undefined) changes.push(changed<GuardRow>(guard, freed(guard, { campaignRunId, startId, at })));
  return [...changes, ...startEnds(moment, stop.plannedBy === undefined ? stop.id : undefined, before)];
}

/** An earlier request of this stop may still land: no start is sent before it cannot. */
function noStartBefore(before: StateBefore, landsUntil: string | undefined): Idle {
  const earlier = before.state === 'idle' ? before.noStartBefore : undefined;
  if (landsUntil === undefined) return { state: 'idle', noStartBefore: earlier };
  return { state: 'idle', noStartBefore: laterOf(earlier, plusMs(landsUntil, clockMarginMs)) };
}

/** The start in doubt that this stop ended, unless a person has ordered its repeat since. */
function startEnds(moment: Moment, stopId: string | undefined, before: StateBefore): readonly RowChange[] {
  if (before.state !== 'start-unknown') return [];
  const { start } = before;
  const row = moment.others.get(start.startId);
  if (row === undefined || approvalsOf(row) > start.approvals) return [];
  const { campaignRunId } = row;
  const mayHaveRun = { from: intervalOf(start).from, until: moment.now.toISOString() };
  const detail = 'its request was sent and never answered, and its planned stop has ended it';
  const end: CommandEnd =
    stopId === undefined
      ? startNeverAnswered(campaignRunId, before, detail, mayHaveRun)
      : { ...superseded(campaignRunId, `a later stop (${stopId}) ended it`), mayHaveRun };
  return otherEnds(moment, start.startId, end);
}

/** A stop is given up: the state before it is back, with its planned stop armed. An earlier request of the stop may still land. */
export function givenUp({ before, landsUntil }: Stopping | StopUnknown): RunState {
  const { latest: _latest, ...earlier } = before;
  if (landsUntil === undefined) return earlier;
  if (earlier.state === 'idle') return { ...earlier, ...noStartBefore(earlier, landsUntil) };
  return { ...earlier, landsUntil: laterOf(earlier.landsUntil, landsUntil) };
}

function endRefused(moment: Moment, row: StopRow, { why, evidence, reason = 'CONFLICT' }: CallFailure): Decision {
  const end = parked(reason, why, { campaignRunId: row.campaignRunId, evidence });
  return endOfStop(moment, row, end, [runChange(moment, row, givenUp(row))]);
}
