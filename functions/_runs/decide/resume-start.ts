/**
 * A start whose PATCH may be applied, and no answer came. A start without an answer. The worker
 * reads the campaign. It sends the start again in three cases only (docs/adr/0060). The reading
 * proves that it did not begin, the gateway ignores repeated starts, or a person ordered the repeat
 * and no later stop came. Else a person is needed, with its stop armed. Pure.
 */
import type { RowChange } from '#shared/ledger/ledger.ts';
import { provenFrom, readBack } from '#shared/ledger/read-back.ts';
import { approvalsOf, type CommandEnd, type FailedCall } from '#shared/ledger/rows/command-row.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { identityOf, type RunRow, runRowOf, type SentStart, type StartUnknown } from '#shared/ledger/rows/run-row.ts';
import { changed, ends, runChange, skipped, type Wait, waits } from './decision.ts';
import { given, guardAgain, newStart, sendStart } from './send-start.ts';
import type { CallFailure, Decision, Moment, RunPolicy, RunsConfig } from './state.ts';
import { delayAfter, holdBeforeCall, retryMs } from './waiting.ts';
import { isTooLate, judgeByGuards, laterStop } from './judge-start.ts';
import { campaignOf, startApplied, startNeverAnswered } from './end-start.ts';

/** The row, and the same row as the state that it is in. */
export interface UnknownStart {
  readonly row: RunRow;
  readonly unknown: StartUnknown;
}

/** How a repeat is sent, and whether it is proven that the start has not begun. */
interface Repeat {
  readonly run: RunPolicy;
  readonly again: SentStart;
  readonly isProven: boolean;
}

/**
 * Reads the campaign and decides on its reading. If no reading can prove anything any more, it ends
 * the start.
 */
export function decideUnknown(moment: Moment, about: UnknownStart): Decision {
  const { start } = about.unknown;
  const { start: run, reading } = moment;
  if (reading !== undefined) return decideReadBack(moment, about, reading);
  if (typeof run !== 'object') return endUnknown(moment, about, run ?? 'its run is not configured any more');
  if (approvalsOf(moment.row) > start.approvals) {
    const later = laterStop(moment, moment.command);
    if (later !== undefined) return endUnknown(moment, about, `a later stop (${later.id}) came before its repeat`);
    const { reading: first, replaced, guardName } = start;
    const again = { ...newStart(moment, run), reading: first, replaced, guardName };
    return untilRepeat(moment, about) ?? repeat(moment, about, { run, again, isProven: false });
  }
  if (start.campaignId === undefined) return cannotRead(moment, about, run, 'its campaign has no campaignId');
  if (start.reading === undefined) return cannotRead(moment, about, run, 'its campaign was not read before it');
  const hold = holdBeforeCall('reads', moment);
  if (hold !== undefined) return waits(moment, hold);
  return { changes: [], effect: { do: 'read-campaign', campaignId: start.campaignId }, then: { kind: 'next' } };
}

/** Nothing can be read back: only a gateway that ignores a start of a run that runs lets it go out again. */
function cannotRead(moment: Moment, about: UnknownStart, run: RunPolicy, why: string): Decision {
  const { start } = about.unknown;
  if (!moment.config.gateway.startsRepeatSafely || isTooLate(moment, start)) return endUnknown(moment, about, why);
  const again = repeated(moment, start, run);
  return untilRepeat(moment, about) ?? repeat(moment, about, { run, again, isProven: false });
}

/** Waits until the first request can land no more. */
function untilRepeat(moment: Moment, { unknown }: UnknownStart): Decision | undefined {
  const delayMs = provenFrom(unknown.start, unknown.landsUntil) - moment.now.getTime();
  const why = 'an earlier request of this start may still land';
  return delayMs > 0 ? waits(moment, { delayMs, why }) : undefined;
}

function decideReadBack(moment: Moment, about: UnknownStart, reading: NonNullable<Moment['reading']>): Decision {
  const { unknown } = about;
  const { start } = unknown;
  const { start: run, guard, config } = moment;
  const found = readBack(unknown, reading, { guard, target: targetOf(start, config) });
  if (found === 'began') {
    const { changes, end } = began(about, moment, campaignOf(moment));
    return ends(moment, end, changes);
  }
  if (typeof run !== 'object') return endUnknown(moment, about, 'its run is not configured any more');
  if (found !== 'did-not')
    return cannotTell(moment, about, run, { why: 'the campaign does not show whether it began' });
  if (!isTooLate(moment, start)) {
    return repeat(moment, about, { run, again: repeated(moment, start, run), isProven: true });
  }
  const judged = judgeByGuards(withFirstReading(moment, about), run);
  const late = 'its stop was due, or a later stop came, before it could be repeated';
  const { reason, detail } = judged.kind === 'skip' ? judged : ({ reason: 'MISSED_WINDOW', detail: late } as const);
  return endNotBegun(moment, about, skipped(reason, detail, { verdicts: judged.verdicts }));
}

/** The target that the configuration gives the campaign of a start now. */
function targetOf({ campaignId }: SentStart, { runs }: RunsConfig): string | undefined {
  return Object.values(runs).find((run) => run.campaignId === campaignId)?.guards.target;
}

/**
 * A reading proves that it began: the run is running, and its start is applied. The guard row is
 * written as it was seen. If another start took its place since then, that start may have moved the
 * campaign, and the write fails.
 */
export function began(
  { row, unknown }: UnknownStart,
  { run, guard }: Pick<Moment, 'run' | 'guard'>,
  campaign: string | undefined,
): { readonly changes: readonly RowChange[]; readonly end: CommandEnd } {
  const { start, landsUntil, requestId, httpStatus } = unknown;
  const { campaignRunId } = row;
  const running = runRowOf(identityOf(row), { state: 'running', start, landsUntil });
  const answer = httpStatus === undefined ? 'was never answered' : `was answered ${httpStatus}`;
  const detail = `run ${campaignRunId} started: its request ${answer}, and the campaign shows that it began`;
  return {
    changes: [changed<RunRow>(run, running), ...(guard === undefined ? [] : [changed<GuardRow>(guard, guard)])],
    end: startApplied({ campaignRunId, start }, { detail, campaign, requestId }),
  };
}

/** Until a proof is possible, and then while it is valid, the campaign is read again. */
function cannotTell(
  moment: Moment,
  about: UnknownStart,
  run: RunPolicy,
  { why, failed }: Pick<Wait, 'why' | 'failed'>,
): Decision {
  const { start, landsUntil } = about.unknown;
  const leftMs = provenFrom(start, landsUntil) - moment.now.getTime();
  const isLate = isTooLate(moment, start);
  if (leftMs <= 0 && isLate) return endUnknown(moment, about, why);
  if (leftMs <= 0 && moment.config.gateway.startsRepeatSafely) {
    return repeat(moment, about, { run, again: repeated(moment, start, run), isProven: false });
  }
  const backOffMs = retryMs(moment);
  const delayMs = leftMs > 0 ? Math.min(backOffMs, leftMs) : backOffMs;
  return waits(moment, { delayMs, why, failed, isReadBack: true });
}

/** The read of the campaign failed: the start waits and reads again, as long as a reading may tell. */
export function decideUnread(moment: Moment, about: UnknownStart, failure: CallFailure, failed: FailedCall): Decision {
  const { start: run } = moment;
  if (typeof run !== 'object') return endUnknown(moment, about, failure.why);
  const decision = cannotTell(moment, about, run, { why: failure.why, failed });
  const { then } = decision;
  if (then.kind !== 'wait' || failure.pauseMs === undefined) return decision;
  return waits(moment, { delayMs: delayAfter(failure, moment), why: failure.why, failed });
}

/** The times of the first try stay: the run may be running since then. */
function repeated(moment: Moment, start: SentStart, run: RunPolicy): SentStart {
  const { firstSentAt, reading, plannedStop, replaced, approvals, guardName } = start;
  const fresh = newStart(moment, run);
  return {
    ...fresh,
    firstSentAt,
    reading,
    plannedStop: plannedStop ?? fresh.plannedStop,
    replaced,
    approvals,
    guardName,
  };
}

/** All guards judge a repeat again; its own reservation and its own place in the month never count against it. */
function repeat(moment: Moment, about: UnknownStart, { run, again, isProven }: Repeat): Decision {
  const judged = judgeByGuards(withFirstReading(moment, about), run);
  const { verdicts } = judged;
  if (judged.kind === 'skip' && isProven) {
    return endNotBegun(moment, about, skipped(judged.reason, judged.detail, { verdicts }));
  }
  if (judged.kind !== 'pass') return endUnknown(moment, about, judged.detail);
  const hold = holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  return sendStart(moment, { row: about.row, run, start: again }, verdicts);
}

/** The campaign now shows what this start itself may have caused: a minimum gap is judged by the first reading. */
function withFirstReading(moment: Moment, { unknown }: UnknownStart): Moment {
  return { ...moment, reading: unknown.start.reading };
}

/** It is proven that it never began: everything that it took goes back. What it replaced may still be running, so a person looks at that. */
function endNotBegun(moment: Moment, about: UnknownStart, end: CommandEnd): Decision {
  const { row, unknown } = about;
  const { start } = unknown;
  if (start.replaced !== undefined) return endReplaced(moment, about, end.outcome.detail ?? 'it did not begin');
  const idle = { state: 'idle' } as const;
  const now = moment.now.toISOString();
  const doubt = `it was in doubt from ${start.firstSentAt} until ${now}, and the campaign shows that it did not begin`;
  const outcome = { ...end.outcome, detail: `${end.outcome.detail}; ${doubt}` };
  const changes = [runChange(moment, row, idle), ...given(moment, start, idle)];
  return ends(moment, { ...end, outcome, campaignRunId: row.campaignRunId }, changes);
}

/** What it replaced may still be running: that one's own planned stop ends it, not that of a start which never began. */
function endReplaced(moment: Moment, { row, unknown }: UnknownStart, why: string): Decision {
  const start = { ...unknown.start, plannedStop: unknown.start.replaced?.plannedStop };
  const kept: StartUnknown = { ...unknown, start };
  const changes = [runChange(moment, row, kept), ...guardAgain(moment, start)];
  return endUnknown(moment, { row, unknown: kept }, why, changes);
}

/**
 * Nothing can tell any more whether it began: a person is needed, and its stop stays armed.
 * @param changes @default the row as start-unknown, unless it is stored so
 */
export function endUnknown(
  moment: Moment,
  { row, unknown }: UnknownStart,
  why: string,
  changes: readonly RowChange[] = moment.run?.state === 'start-unknown' ? [] : [runChange(moment, row, unknown)],
): Decision {
  const { plannedStop } = unknown.start;
  const armed = plannedStop === undefined ? 'it plans no stop' : `its stop stays armed for ${plannedStop.at}`;
  const detail = `${answerWords(moment, unknown)}, and it is unknown whether it began (${why}); ${armed}`;
  return ends(moment, startNeverAnswered(row.campaignRunId, unknown, detail), changes);
}

/**
 * What came back of a start in doubt, in the words of the gateway if they are still known. A read
 * of the campaign may have failed since.
 */
function answerWords({ row }: Moment, { httpStatus }: StartUnknown): string {
  if (httpStatus === undefined) return 'its request was sent and never answered';
  const { lastError } = row?.attempt ?? {};
  return lastError?.startsWith('PATCH ') === true
    ? `${lastError}; this proves nothing`
    : `its request was answered ${httpStatus}, which proves nothing`;
}
