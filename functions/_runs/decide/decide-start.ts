import { timeGuards, waitingGuards } from '#shared/guards/guards.ts';
import type { Judgement } from '#shared/guards/start-question.ts';
import { expiryOf } from '#shared/ledger/rows/row-keys.ts';
import { beginsUntil, clockMarginMs } from '#shared/ledger/read-back.ts';
import { approvalsOf, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, newGuardRow, type Reservation, withDeferred } from '#shared/ledger/rows/guard-row.ts';
import { type RunRow, type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import { type CampaignRunCommand, type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { beginPlannedStop, laterThan } from './decide-stop.ts';
import { changed, ends, ownRow, parked, skipped, superseded, type Wait, waits } from './decision.ts';
import { campaignOf, startApplied } from './end-start.ts';
import { decideUnknown } from './resume-start.ts';
import { newStart, sendStart } from './send-start.ts';
import type { Decision, Moment, RunPolicy, StartMoment } from './state.ts';
import { endingWaitMs, holdBeforeCall, unsettledWaitMs } from './waiting.ts';
import { type JudgedStart, judgeByGuards } from './judge-start.ts';

/** The order of questions about a start: its own row, the guards of time, the row's state, all guards, the campaign, the PATCH. Pure. */
export function decideStart(moment: Moment): Decision {
  const { runNow: row, start } = moment;
  const own = row && decideOwn(moment, row);
  if (own !== undefined) return own;
  if (start === undefined) throw new Error('a start is decided without its policy');
  if (typeof start === 'string') return waitUntilSettled(moment, row) ?? ends(moment, parked('CONFIG', start));
  return decideOther({ ...moment, start }, row);
}

/** The row holds another start, or none. */
function decideOther(moment: StartMoment, row: RunRow | undefined): Decision {
  const unsettled = waitUntilSettled(moment, row);
  const byTime = judgeByGuards(moment, unsettled === undefined ? timeGuards : waitingGuards);
  if (byTime.kind === 'skip') return endSkipped(moment, byTime);
  if (byTime.kind === 'defer') return deferStart(moment, byTime);
  if (unsettled !== undefined) return unsettled;
  const replaced = replacedBy(moment, row);
  if (replaced !== undefined) return ends(moment, superseded(moment.campaignRunId, replaced));
  return decideJudged(moment, row);
}

/**
 * The row holds this very start: it was sent and has no outcome yet. The start of a running row has
 * its outcome, since both are one write; if the rows ever disagree, no second PATCH is the answer.
 */
function decideOwn(moment: Moment, row: RunRow): Decision | undefined {
  const { id } = moment.command;
  if ('before' in row && 'start' in row.before && row.before.start.startId === id) {
    return waitForStop(moment);
  }
  if (row.state === 'running' && row.start.startId === id) {
    const end = startApplied(row, { campaign: campaignOf(moment) });
    return ends(moment, { ...end, verdicts: moment.row?.verdicts });
  }
  if (row.state !== 'start-unknown' || row.start.startId !== id) return undefined;
  return decideUnknown(moment, row);
}

/** No outcome that depends on the row is recorded against a state that is not settled. */
function waitUntilSettled(moment: Moment, row: RunRow | undefined): Decision | undefined {
  if (row === undefined || row.state === 'idle' || row.state === 'running') return undefined;
  if (row.state !== 'start-unknown') return waitForStop(moment);
  const { startId } = row.start;
  if (moment.others.get(startId)?.outcome !== undefined) return undefined;
  return waits(moment, { delayMs: unsettledWaitMs(moment), why: `the start ${startId} has no outcome yet` });
}

function waitForStop(moment: Moment): Decision {
  return waits(moment, { delayMs: unsettledWaitMs(moment), why: 'a stop of this run is not settled yet' });
}

/** The later command that replaced a start, in one sentence. */
function replacedBy(moment: StartMoment, row: RunRow | undefined): string | undefined {
  const { command, pool } = moment;
  const later = row?.latest === undefined ? undefined : laterThan(command, row);
  if (later !== undefined) return later;
  const stop = pool?.latestStop;
  if (stop !== undefined && compareCommands(stop, command) > 0)
    return `a later stop of ${pool?.run} (${stop.id}) is recorded`;
  const deferred = moment.row?.deferred && latestDeferred(moment);
  return deferred !== undefined && compareCommands(deferred, command) > 0 ? laterDeferred(deferred.id) : undefined;
}

/** Of the deferred starts of a run the latest. */
function latestDeferred(moment: StartMoment): CommandOrder | undefined {
  return moment.guard?.deferred?.[deferredKey(moment)];
}

function laterDeferred(id: string): string {
  return `a later start of this run (${id}) was put off by a blackout as well`;
}

/** By the run's name, so that it is the same run whichever id it will use. */
function deferredKey({ campaignRunId, start }: StartMoment): string {
  return start.run?.name ?? campaignRunId ?? '';
}

/** A settled row: all guards judge. */
function decideJudged(moment: StartMoment, row: RunRow | undefined): Decision {
  const judged = judgeByGuards(moment);
  const { verdicts } = judged;
  switch (judged.kind) {
    case 'skip':
      return endSkipped(moment, judged);
    case 'unreadable':
      return ends(moment, parked('CAMPAIGN_UNREADABLE', judged.detail, { verdicts }));
    case 'defer':
      return deferStart(moment, judged);
    case 'stop-first':
      return makeRoom(moment, row, judged);
    case 'pass':
      return decidePassed(moment, row, judged);
  }
}

/** No guard is against it: what the row asks for, then the campaign, then the PATCH. */
function decidePassed(moment: StartMoment, row: RunRow | undefined, judged: JudgedStart): Decision {
  const { verdicts } = judged;
  const [ending] = judged.ending;
  if (ending !== undefined) return waitForEnding(moment, row, ending);
  const elsewhere = row && heldElsewhere(row, moment.start);
  if (elsewhere !== undefined)
    return endSkipped(moment, { kind: 'skip', reason: 'OVERLAP', detail: elsewhere, verdicts });
  const held = row && holdByRow(row, moment);
  if (held !== undefined) return waits(moment, held);
  const reading = readFirst(moment);
  if (reading !== undefined) return reading;
  if (row === undefined) return noRunLeft(moment, judged);
  const hold = holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  return sendStart(moment, row, overAnother(row, newStart(moment)), verdicts);
}

/**
 * A run that began under another target keeps its place in that guard row until its stop frees it.
 * No override sends a start over it.
 */
function heldElsewhere(row: RunRow, { guards: { target } }: RunPolicy): string | undefined {
  const start = startOf(row);
  if (start === undefined || start.guardName === target) return undefined;
  return `run ${row.campaignRunId} is in flight since ${start.effectAt}, and began under the target ${start.guardName}: stop it first`;
}

function endSkipped(moment: Moment, { reason, detail, verdicts }: Extract<Judgement, { kind: 'skip' }>): Decision {
  return ends(moment, skipped(reason, detail, { campaignRunId: moment.campaignRunId, verdicts }));
}

/** A planned stop is due, or nearly: back to back is no overlap. The run's own one is sent here; the watcher sends those of other runs. */
function waitForEnding(moment: Moment, row: RunRow | undefined, ending: Reservation): Decision {
  const { campaignRunId, plannedStopAt = '' } = ending;
  const dueInMs = Date.parse(plannedStopAt) - moment.now.getTime();
  const isOwn = campaignRunId === row?.campaignRunId;
  // A deployment may have given the campaign another target since: then the watcher sends the stop, which frees the right guard row.
  const isOfGuard = row !== undefined && 'start' in row && row.start.guardName === moment.guard?.name;
  if (isOwn && isOfGuard && dueInMs <= 0) return beginPlannedStop(moment, row, row.start);
  const longestMs = endingWaitMs(moment.delivery);
  const delayMs = isOwn && dueInMs > 0 ? Math.min(longestMs, dueInMs) : longestMs;
  const why = `the stop of run ${campaignRunId}, planned for ${plannedStopAt}, comes first`;
  return waits(moment, { delayMs, why, isBehindStop: true });
}

/**
 * An earlier request for this run may still land. What cannot be undone waits until that request
 * can no longer land, also if clocks disagree.
 */
function holdByRow(row: RunRow, { now }: Moment): Wait | undefined {
  const instants = [row.update?.pending?.lease?.until, row.state === 'idle' ? row.noStartBefore : undefined];
  const beginsMs = row.state === 'running' || row.state === 'start-unknown' ? beginsUntil(row) : 0;
  const untilMs = Math.max(beginsMs, ...instants.map((instant) => Date.parse(instant ?? '') || 0));
  const delayMs = untilMs - now.getTime();
  return delayMs > 0 ? { delayMs, why: 'an earlier request for this run may still land' } : undefined;
}

/** The campaign is read before the PATCH: what a minimum gap is judged by, and what a start in doubt is compared with. */
function readFirst(moment: StartMoment): Decision | undefined {
  const { campaignId, guards } = moment.start;
  const isNeeded = moment.campaignRunId !== undefined || guards.minimumGap !== undefined;
  if (campaignId === undefined || moment.reading !== undefined || moment.goesUnread === true || !isNeeded)
    return undefined;
  const hold = holdBeforeCall('reads', moment);
  if (hold !== undefined) return waits(moment, hold);
  return { changes: [], effect: { do: 'read-campaign', campaignId }, then: { kind: 'next' } };
}

/** An operator overrode the overlap with the same run: what the earlier start had planned is not lost. */
function overAnother(row: RunRow, start: SentStart): SentStart {
  if (row.state !== 'running' && row.state !== 'start-unknown') return start;
  const { plannedStop } = row.start;
  return { ...start, plannedStop: start.plannedStop ?? plannedStop, replaced: { plannedStop } };
}

/** Of several deferred starts of a run the latest is sent, whichever comes first. */
function deferStart(moment: StartMoment, judged: Extract<Judgement, { kind: 'defer' }>): Decision {
  const { command, guard, row, campaignRunId } = moment;
  const { until, blackout, verdicts, detail } = judged;
  const key = deferredKey(moment);
  const latest = latestDeferred(moment);
  if (latest !== undefined && compareCommands(latest, command) > 0) {
    return ends(moment, superseded(campaignRunId, laterDeferred(latest.id)));
  }
  const own = ownRow(moment);
  const leftMs = Date.parse(until) - moment.now.getTime();
  // The watcher sent it at the end of that blackout, by its own clock, and would not send it again for an hour.
  if (own.deferred?.until === until && leftMs <= clockMarginMs) return waits(moment, { delayMs: leftMs, why: detail });
  const from = own.deferred?.from ?? moment.now.toISOString();
  const deferred: CommandRow = {
    ...own,
    campaignRunId: undefined,
    attempt: undefined,
    deferred: { from, until, blackout },
    verdicts,
    openState: 'DEFERRED',
    openSince: until,
    expiresAt: expiryOf('command', new Date(until)),
  };
  const noted = withDeferred(guard ?? newGuardRow(moment.start.guards.target), key, command);
  const changes = [changed<GuardRow>(guard, noted), changed<CommandRow>(row, deferred)];
  return { changes, then: { kind: 'deferred', detail } };
}

function noRunLeft(moment: StartMoment, { verdicts }: Judgement): Decision {
  return ends(moment, parked('NO_RUN_LEFT', `every id bound to ${moment.start.run?.name} has been used`, { verdicts }));
}

/** A judgement that the runs in flight have to be stopped first. */
type MakesRoom = Extract<Judgement, { kind: 'stop-first' }>;

/** No run is stopped for a start that its minimum gap refuses, or that has no id left. */
function makeRoom(moment: StartMoment, row: RunRow | undefined, judged: MakesRoom): Decision {
  const reading = moment.start.guards.minimumGap === undefined ? undefined : readFirst(moment);
  return reading ?? (row === undefined ? noRunLeft(moment, judged) : stopFirst(moment, judged));
}

/** `overlap: 'stop-previous'`: the runs in flight are stopped by commands of their own, and the start comes back. */
function stopFirst(moment: Moment, { runs, verdicts }: MakesRoom): Decision {
  const { others } = moment;
  const stops = runs.map((run) => stopOf(run, moment));
  const failed = stops.find(({ id }) => ['parked', 'superseded'].includes(others.get(id)?.outcome?.kind ?? ''));
  if (failed !== undefined) {
    const detail = `run ${failed.campaignRunId} is in flight and its stop (${failed.id}) was not applied`;
    return endSkipped(moment, { kind: 'skip', reason: 'OVERLAP', detail, verdicts });
  }
  // A stop that was tried is in its queue; one that was never tried may not be there yet.
  const missing = stops.filter(({ id }) => !others.has(id));
  const effect = missing.length === 0 ? undefined : ({ do: 'send-stops', stops: missing } as const);
  const why = `run ${stops[0]?.campaignRunId} is stopped first`;
  return waits(moment, { delayMs: Math.min(endingWaitMs(moment.delivery), unsettledWaitMs(moment)), why, effect });
}

/** Issued 1 ms before the start that it makes room for: later than the start of the run in flight, and not than this one. */
function stopOf({ campaignRunId, startId }: Reservation, { command, row }: Moment): CampaignRunCommand {
  const { id, issuedAt, origin } = command;
  return {
    version: 1,
    id: commandIds.previousStop({ id, approvals: approvalsOf(row) }, { campaignRunId, startId }),
    action: 'stop',
    campaignRunId,
    issuedAt: new Date(Date.parse(issuedAt) - 1).toISOString(),
    origin,
    reason: `it makes room for a newer start (${id})`,
  };
}
