/** A start with an entry, and the answers to it: rows 7 to 14 of the table in docs/reference/ledger.md. Pure. */
import { guardsOfDoubt, judgeStart } from '#shared/guards/guards.ts';
import type { StartTimes } from '#shared/guards/start-question.ts';
import type { CampaignReading } from '#shared/ledger/rows/campaign-row.ts';
import { type CommandEnd, type CommandRow, type FailedCall } from '#shared/ledger/rows/command-row.ts';
import { type IdRow, type RunRow, withAnswer, withReturned } from '#shared/ledger/rows/run-row.ts';
import { hasBegun, hasEnded, isOver, type RunReading } from '#shared/ledger/rows/run-reading.ts';
import { type InFlight, showsWithin, withoutEntry, withoutStart } from '#shared/ledger/rows/target-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { endOf } from './own-stops.ts';
import type { Answered, CallFailure, CampaignRead, Decision, LastChance, Moment, Settling } from './state.ts';
import {
  afterWrites,
  applied,
  begun,
  changedEntry,
  ends,
  entryIn,
  type Found,
  idRow,
  idsOf,
  ownRow,
  parked,
  runNamed,
  runRow,
  startFacts,
  storedOwn,
  superseded,
  type Wait,
  waits,
} from './rows.ts';
import { missedSays } from './missed-starts.ts';
import { attemptEnd, laterOrder, laterSays, askCampaign, refusedEnd } from './start.ts';
import { askRun, isShownFor } from './shown-run.ts';
import { questionOfEntry, startInput, timesOfEntry } from './start-times.ts';
import { delayAfter, holdBeforeCall, landedMs, plainWaitMs, shortWaitMs, weighed } from './waiting.ts';

/** Decides a start that has an entry. */
export function decideHeldStart(moment: Moment, found: Found, read: CampaignRead | undefined): Decision {
  const { entry } = found;
  if (entry.state === 'stopping') {
    return waits(moment, { delayMs: plainWaitMs(moment), why: 'its run is being ended' });
  }
  const shown = moment.shown?.get(entry.campaignRunId);
  return (
    askRun(moment, [entry]) ?? (shown === undefined ? byCampaign(moment, found, read) : byRun(moment, found, shown))
  );
}

/** Rows 7 to 11 without a reading of the run. */
function byCampaign(moment: Moment, found: Found, read: CampaignRead | undefined): Decision {
  const { entry } = found;
  if (read === undefined && entry.campaignId !== undefined) return askCampaign(moment, entry.campaignId);
  if (read?.next === 'read' && shows(read.reading, entry)) {
    return endStarted(moment, found, 'its campaign shows it');
  }
  return entry.state === 'running' ? endUnconfirmed(moment, entry) : decideDoubt(moment, found);
}

/** Rows 7 to 11 by the run itself. The campaign is not asked then. */
function byRun(before: Moment, found: Found, shown: RunReading): Decision {
  const { startAt, refusedBy } = ownRow(before);
  const read = { ...shown, at: before.now.toISOString() };
  const moment = hasEnded(shown) ? afterWrites(before, [{ ...ownRow(before), shown: read }]) : before;
  const isOurs = isShownFor(shown, startAt);
  if (isOurs || hasBegun(shown)) {
    const detail = `the gateway shows it as ${shown.status}${isOurs ? ' for then' : ''}`;
    return endStarted(moment, found, detail);
  }
  if (isOver(shown, found.entry, moment.config.gateway.status)) return endCancelled(moment, found);
  // Its end was refused for good: it is repeated no more.
  return refusedBy === undefined ? decideDoubt(moment, found) : endUnconfirmed(moment, found.entry);
}

/** Row 7: it is cancelled. If a later command or a guard has not ended it, a person did so at the gateway. The id stays used. */
function endCancelled(moment: Moment, { row, entry }: Found): Decision {
  const about = { campaignRunId: entry.campaignRunId, mayHaveRun: intervalOf(entry) };
  const { refusedBy, attempt } = ownRow(moment);
  const later = laterOrder(moment);
  const says = 'no answer came, and the gateway shows the run as cancelled';
  const end =
    refusedBy !== undefined
      ? refusedEnd(refusedBy, about)
      : later !== undefined
        ? superseded(laterSays, about)
        : parked('CONFLICT', says, { ...about, evidence: attempt?.evidence });
  return ends(moment, end, [withoutEntry(row, entry.startId)]);
}

/** Whether a campaign's last run is this one: an id is one start. */
function shows({ lastRun, lastRunAt }: CampaignReading, { campaignRunId, issuedAt }: InFlight): boolean {
  return lastRun === campaignRunId && (lastRunAt === undefined || Date.parse(lastRunAt) >= Date.parse(issuedAt));
}

/**
 * Rows 7 and 12: the run is running, and its start is applied.
 * @param begunBy - the request that began it. @default the last one: it was not answered, and the run is shown
 */
function endStarted(
  moment: Moment,
  found: Found,
  says: string | undefined,
  begunBy = storedOwn(moment)?.attempt?.evidence?.requestId,
): Decision {
  const { entry } = found;
  const { campaignRunId } = entry;
  const { verdicts } = ownRow(moment);
  const missed = moment.madeUpBy === undefined ? undefined : missedSays(moment, moment.madeUpBy);
  const detail = [says, missed].filter((words) => words !== undefined).join('; ') || undefined;
  // A stage that observes sent none.
  const requestId = moment.config.mode === 'observe' ? undefined : begunBy;
  const end = applied(campaignRunId, detail, { facts: startFacts(entry), verdicts, requestId });
  // An id that was not read was used by an earlier attempt: a stop by name reads it.
  const used = idRow(moment, campaignRunId);
  const stamp = used && { version: used.version, writer: used.writer };
  return ends(moment, end, [changedEntry(found, { state: 'running', idRow: stamp })]);
}

/** Row 11: its run may still begin, or its campaign may still show it. */
function endUnconfirmed(moment: Moment, entry: InFlight): Decision {
  const { campaignRunId, due, until } = entry;
  const { startAt = due, refusedBy } = ownRow(moment);
  // By any clock.
  const beginsMs = Math.max(landedMs(startAt), landedMs(until ?? startAt));
  const leftMs = Math.max(beginsMs, showsMs(entry)) - moment.now.getTime();
  if (leftMs > 0) {
    const delayMs = Math.min(leftMs, plainWaitMs(moment));
    return waits(moment, { delayMs, why: 'it may still begin, or its campaign may show it' });
  }
  const isUnshown = { reason: 'UNCONFIRMED', detail: 'no answer came, and its campaign does not show it' } as const;
  return ends(moment, refusedEnd(refusedBy ?? isUnshown, { campaignRunId, mayHaveRun: intervalOf(entry) }));
}

/** Until when a campaign that can be read is given to show a start; milliseconds since the epoch. */
function showsMs({ campaignId, due, confirmWithin = showsWithin }: InFlight): number {
  if (campaignId === undefined) return 0;
  return Date.parse(due) + (durationMs(confirmWithin) ?? 0);
}

function intervalOf({ due, endsAt }: InFlight): { readonly from: string; readonly until: string } {
  return { from: due, until: endsAt };
}

/** Rows 8 and 9: what a guard refuses by now is ended, else the request is repeated. */
function decideDoubt(moment: Moment, found: Found): Decision {
  const { entry } = found;
  const times = timesOfEntry(entry, moment);
  const judged = judgeStart(questionOfEntry(moment, entry, times), guardsOfDoubt);
  if (judged.kind === 'later') return waits(moment, { delayMs: plainWaitMs(moment), why: judged.detail });
  if (judged.kind === 'skip') return endFirst(moment, found, { reason: judged.reason, detail: judged.detail });
  if (judged.kind === 'defer') return endFirst(moment, found, { reason: 'BLACKOUT', detail: judged.detail });
  if (laterOrder(moment) !== undefined) return endFirst(moment, found, undefined);
  if (!moment.config.gateway.startsRepeatSafely) {
    return waits(moment, { delayMs: plainWaitMs(moment), why: 'it was sent and not answered; no proof yet' });
  }
  return repeat(moment, found, times);
}

/** Row 8. A start that a later command replaces has no refusal of its own: the stop that ends its run supersedes it. */
function endFirst(moment: Moment, found: Found, refusedBy: CommandRow['refusedBy']): Decision {
  const why = refusedBy?.detail ?? 'a later command replaces it';
  const end = endOf(found.entry, moment.now, `its start was not answered, and is refused by now: ${why}`);
  return waits(moment, {
    delayMs: plainWaitMs(moment),
    why: `${why}; its run is ended first`,
    writes: [changedEntry(found, { state: 'stopping', orderedBy: end.id })],
    own: { refusedBy },
    effect: { do: 'send-ends', ends: [end] },
  });
}

/** Row 9: a run begins once, so its start may be sent again. */
function repeat(moment: Moment, found: Found, times: StartTimes): Decision {
  const hold = holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  const { campaignRunId, unanswered } = found.entry;
  return {
    writes: [
      changedEntry(found, { state: 'starting', unanswered: unanswered + 1, until: attemptEnd(moment) }),
      begun(moment, {}, times.startAt),
    ],
    effect: { do: 'patch', to: 'start', input: startInput(moment, campaignRunId, times) },
    then: { kind: 'next' },
  };
}

/** What an answer to a start means for its entry as it is now. */
export function decideStartAnswer(before: Moment, { answer }: Answered): Decision {
  const moment = afterWrites(before, [withAnswer(ownRow(before), answer.next === 'applied' ? {} : answer, before.now)]);
  const found = entryIn(moment, moment.command.id);
  if (found === undefined) return waits(moment, { delayMs: shortWaitMs, why: 'its run was ended meanwhile' });
  if (answer.next !== 'applied' && answer.applied === 'unknown') return waitAfter(moment, answer);
  const unanswered = Math.max(0, found.entry.unanswered - 1);
  const answered: Found = { ...found, entry: { ...found.entry, unanswered } };
  const isStopping = found.entry.state === 'stopping';
  if (answer.next !== 'applied') {
    const isDone = answer.isAlready === true && unanswered > 0 && !isStopping;
    if (isDone) return endStarted(moment, answered, `its repeat was refused: ${answer.why}`);
    return decideRefusal(moment, answered, answer);
  }
  if (!isStopping) return endStarted(moment, answered, answer.why, moment.delivery.owner);
  return waits(moment, { delayMs: shortWaitMs, why: 'its run is being ended', writes: [changedEntry(answered, {})] });
}

/** Rows 13 and 14: it is proven that this request did nothing. Another one of this start may have done it. */
function decideRefusal(moment: Moment, answered: Found, answer: CallFailure): Decision {
  const { entry } = answered;
  const { failure, refusals } = weighed(answer, moment);
  const isNotGoing = failure.isNotGoing === true || (failure.next === 'park' && failure.evidence.httpStatus === 404);
  const isStarting = entry.state === 'starting';
  if (!isStarting || entry.unanswered > 0) {
    const row = changedEntry(answered, isNotGoing && isStarting ? { state: 'running' } : {});
    return waitAfter(moment, failure, { refusals, writes: [row] });
  }
  const { why, evidence, reason = 'CONFLICT' } = failure;
  const writes = givenBack(moment, answered, isNotGoing);
  const own = { campaignRunId: undefined, startAt: undefined, target: undefined, facts: undefined };
  if (failure.next !== 'park') return waitAfter(moment, failure, { refusals, writes, own });
  const bare = afterWrites(moment, [{ ...ownRow(moment), ...own }]);
  return ends(bare, parked(reason, why, { campaignRunId: entry.campaignRunId, evidence }), writes);
}

/** Row 13: as if the start had never been; an id whose run is not going stays used. */
function givenBack(
  moment: Moment,
  { row, entry }: Found,
  staysUsed: boolean,
): readonly (RunRow | IdRow | Found['row'])[] {
  const { campaignRunId, run } = entry;
  const target = withoutStart(row, entry.startId);
  const id = idRow(moment, campaignRunId);
  const named = runRow(moment, run);
  if (staysUsed || id === undefined || named === undefined) return [target];
  const configured = runNamed(run, moment.config);
  const known = configured && [...configured.campaignRunIds, ...idsOf(moment, configured, moment.now).made];
  const { pk, kind } = id;
  return [target, withReturned(named, campaignRunId, known ?? []), { pk, kind, campaignRunId }];
}

function waitAfter(
  moment: Moment,
  { why, evidence, aheadMs, pauseMs }: CallFailure,
  { refusals, ...more }: Pick<Wait, 'writes' | 'own'> & Pick<FailedCall, 'refusals'> = {},
): Decision {
  // A new `startAt` is all that it takes.
  const delayMs = aheadMs === undefined ? delayAfter({ pauseMs }, moment) : shortWaitMs;
  return waits(moment, { delayMs, why, failed: { evidence, refusals, aheadMs }, ...more });
}

/** The start gets its outcome now, and its run counts as running: its stop stays armed. */
export function lastOfHeldStart(moment: Settling, found: Found, { detail }: LastChance): Decision {
  const { entry } = found;
  const { campaignRunId, endsAt, plansStop } = entry;
  const armed = plansStop ? `its stop stays armed for ${endsAt}` : 'it plans no stop';
  const end: CommandEnd = parked('START_OUTCOME_UNKNOWN', `${detail}; ${armed}`, {
    campaignRunId,
    evidence: { requestSent: true, ...storedOwn(moment)?.attempt?.evidence },
    facts: startFacts(entry),
    mayHaveRun: intervalOf(entry),
  });
  return ends(moment, end, [changedEntry(found, { state: 'running' })]);
}
