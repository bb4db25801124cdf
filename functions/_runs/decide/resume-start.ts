/**
 * A start whose PATCH may be applied, and no answer came. The worker reads the campaign. It sends
 * the start again in three cases only (docs/adr/0060). The reading proves that it did not begin, the
 * gateway ignores repeated starts, or a person ordered the repeat and no later stop came. Else a
 * person is needed, with its stop armed. Pure.
 */
import type { RowChange } from '#shared/ledger/ledger.ts';
import { provenFrom, readBack } from '#shared/ledger/read-back.ts';
import { approvalsOf, type CommandEnd } from '#shared/ledger/rows/command-row.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import {
  identityOf,
  type ReadingAt,
  type RunIdentity,
  type RunRow,
  runRowOf,
  type SentStart,
  type StartUnknown,
  stateOf,
} from '#shared/ledger/rows/run-row.ts';
import { changed, ends, runChange, skipped, type Wait, waits } from './decision.ts';
import { given, guardAgain, newStart, sendStart } from './send-start.ts';
import type { CallFailure, Decision, Moment, RunsConfig, StartMoment } from './state.ts';
import { delayAfter, holdBeforeCall } from './waiting.ts';
import { isTooLate, judgeByGuards, laterStop } from './judge-start.ts';
import { startApplied, startNeverAnswered } from './end-start.ts';

/** The row of such a start, its lease settled. */
export type UnknownStart = RunIdentity & StartUnknown;

/**
 * Reads the campaign and decides on its reading. If no reading can prove anything any more, it ends
 * the start.
 */
export function decideUnknown(asked: Moment, about: UnknownStart): Decision {
  const { start } = about;
  const { start: run, reading } = asked;
  if (typeof run !== 'object') return endUnknown(asked, about, run ?? 'its run is not configured any more');
  const moment: StartMoment = { ...asked, start: run };
  if (reading !== undefined) return decideReadBack(moment, about, reading);
  if (approvalsOf(moment.row) > start.approvals) {
    const later = laterStop(moment, moment.command);
    if (later !== undefined) return endUnknown(moment, about, `a later stop (${later.id}) came before its repeat`);
    const { reading: first, replaced, guardName } = start;
    const again = { ...newStart(moment), reading: first, replaced, guardName };
    return untilRepeat(moment, about) ?? repeat(moment, about, again, false);
  }
  if (start.campaignId === undefined) return cannotRead(moment, about, 'its campaign has no campaignId');
  if (start.reading === undefined) return cannotRead(moment, about, 'its campaign was not read before it');
  const hold = holdBeforeCall('reads', moment);
  if (hold !== undefined) return waits(moment, hold);
  return { changes: [], effect: { do: 'read-campaign', campaignId: start.campaignId }, then: { kind: 'next' } };
}

/** Nothing can be read back: only a gateway that ignores a start of a run that runs lets it go out again. */
function cannotRead(moment: StartMoment, about: UnknownStart, why: string): Decision {
  const { start } = about;
  if (!moment.config.gateway.startsRepeatSafely || isTooLate(moment, start)) return endUnknown(moment, about, why);
  return untilRepeat(moment, about) ?? repeat(moment, about, repeated(moment, start), false);
}

/** Waits until the first request can land no more. */
function untilRepeat(moment: Moment, { start, landsUntil }: UnknownStart): Decision | undefined {
  const delayMs = provenFrom(start, landsUntil) - moment.now.getTime();
  const why = 'an earlier request of this start may still land';
  return delayMs > 0 ? waits(moment, { delayMs, why }) : undefined;
}

function decideReadBack(moment: StartMoment, about: UnknownStart, reading: ReadingAt): Decision {
  const { start } = about;
  const { guard, config } = moment;
  const found = readBack(about, reading, { guard, target: targetOf(start, config) });
  if (found === 'began') {
    const { changes, end } = began(about, moment, moment.start.campaign);
    return ends(moment, end, changes);
  }
  if (found !== 'did-not') return cannotTell(moment, about, { why: 'the campaign does not show whether it began' });
  if (!isTooLate(moment, start)) return repeat(moment, about, repeated(moment, start), true);
  const judged = judgeByGuards(withFirstReading(moment, about));
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
  about: UnknownStart,
  { run, guard }: Pick<Moment, 'run' | 'guard'>,
  campaign: string | undefined,
): { readonly changes: readonly RowChange[]; readonly end: CommandEnd } {
  const { campaignRunId, start, landsUntil, requestId, httpStatus } = about;
  const running = runRowOf(identityOf(about), { state: 'running', start, landsUntil });
  const answer = httpStatus === undefined ? 'was never answered' : `was answered ${httpStatus}`;
  const detail = `run ${campaignRunId} started: its request ${answer}, and the campaign shows that it began`;
  return {
    changes: [changed<RunRow>(run, running), ...(guard === undefined ? [] : [changed<GuardRow>(guard, guard)])],
    end: startApplied(about, { detail, campaign, requestId }),
  };
}

/** Until a proof is possible, and then while it is valid, the campaign is read again, also if the read failed. */
export function cannotTell(
  moment: StartMoment,
  about: UnknownStart,
  { why, failed, pauseMs }: Pick<Wait, 'why' | 'failed'> & Pick<CallFailure, 'pauseMs'>,
): Decision {
  const { start, landsUntil } = about;
  const leftMs = provenFrom(start, landsUntil) - moment.now.getTime();
  if (leftMs <= 0 && isTooLate(moment, start)) return endUnknown(moment, about, why);
  if (leftMs <= 0 && moment.config.gateway.startsRepeatSafely) {
    return repeat(moment, about, repeated(moment, start), false);
  }
  const backOffMs = delayAfter({ pauseMs }, moment);
  const delayMs = leftMs > 0 && pauseMs === undefined ? Math.min(backOffMs, leftMs) : backOffMs;
  return waits(moment, { delayMs, why, failed, isReadBack: true });
}

/** The times of the first try stay: the run may be running since then. */
function repeated(moment: StartMoment, start: SentStart): SentStart {
  const { firstSentAt, reading, plannedStop, replaced, approvals, guardName } = start;
  const fresh = newStart(moment);
  const kept = { firstSentAt, reading, replaced, approvals, guardName };
  return { ...fresh, ...kept, plannedStop: plannedStop ?? fresh.plannedStop };
}

/**
 * All guards judge a repeat again; its own reservation and its own place in the month never count against it.
 * @param isProven the campaign shows that the start has not begun
 */
function repeat(moment: StartMoment, about: UnknownStart, again: SentStart, isProven: boolean): Decision {
  const judged = judgeByGuards(withFirstReading(moment, about));
  const { verdicts } = judged;
  if (judged.kind === 'skip' && isProven) {
    return endNotBegun(moment, about, skipped(judged.reason, judged.detail, { verdicts }));
  }
  if (judged.kind !== 'pass') return endUnknown(moment, about, judged.detail);
  const hold = holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  return sendStart(moment, about, again, verdicts);
}

/** The campaign now shows what this start itself may have caused: a minimum gap is judged by the first reading. */
function withFirstReading(moment: StartMoment, { start }: UnknownStart): StartMoment {
  return { ...moment, reading: start.reading };
}

/** It is proven that it never began: everything that it took goes back. What it replaced may still be running, so a person looks at that. */
function endNotBegun(moment: Moment, about: UnknownStart, end: CommandEnd): Decision {
  const { start, campaignRunId } = about;
  if (start.replaced !== undefined) return endReplaced(moment, about, end.outcome.detail ?? 'it did not begin');
  const idle = { state: 'idle' } as const;
  const now = moment.now.toISOString();
  const doubt = `it was in doubt from ${start.firstSentAt} until ${now}, and the campaign shows that it did not begin`;
  const outcome = { ...end.outcome, detail: `${end.outcome.detail}; ${doubt}` };
  const changes = [runChange(moment, about, idle), ...given(moment, start, idle)];
  return ends(moment, { ...end, outcome, campaignRunId }, changes);
}

/** What it replaced may still be running: that one's own planned stop ends it, not that of a start which never began. */
function endReplaced(moment: Moment, about: UnknownStart, why: string): Decision {
  const start = { ...about.start, plannedStop: about.start.replaced?.plannedStop };
  const kept = { ...about, start };
  return endUnknown(moment, kept, why, [runChange(moment, kept, stateOf(kept)), ...guardAgain(moment, start)]);
}

/**
 * Nothing can tell any more whether it began: a person is needed, and its stop stays armed.
 * @param changes @default the row as start-unknown, unless it is stored so
 */
export function endUnknown(
  moment: Moment,
  about: UnknownStart,
  why: string,
  changes: readonly RowChange[] = moment.run?.state === 'start-unknown'
    ? []
    : [runChange(moment, about, stateOf(about))],
): Decision {
  const { plannedStop } = about.start;
  const armed = plannedStop === undefined ? 'it plans no stop' : `its stop stays armed for ${plannedStop.at}`;
  const detail = `${answerWords(moment, about)}, and it is unknown whether it began (${why}); ${armed}`;
  return ends(moment, startNeverAnswered(about.campaignRunId, about, detail), changes);
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
