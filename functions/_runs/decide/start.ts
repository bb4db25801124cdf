/** A start without an entry: rows 1 to 6 of the table in docs/reference/ledger.md. Pure. */
import { isGapUnread, judgeStart } from '#shared/guards/guards.ts';
import type { Judgement, StartQuestion, StartTimes } from '#shared/guards/start-question.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { expiryOf } from '#shared/ledger/rows/row-keys.ts';
import { idRowOf, isEnd, isFreeId, newRunRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, newTargetRow, remembered, type TargetRow, withEntry } from '#shared/ledger/rows/target-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { endOf } from './own-stops.ts';
import type { CallFailure, CampaignRead, Decision, Moment, OwnRow, Settling } from './state.ts';
import {
  begun,
  changedTargets,
  ends,
  entriesIn,
  idRow,
  idsOf,
  ownRow,
  parked,
  runRow,
  skipped,
  startFacts,
  storedOwn,
  superseded,
  targetRow,
  unchangedTargets,
  unknownName,
  waits,
  withLatest,
} from './rows.ts';
import { decideMissed } from './missed-starts.ts';
import { askRun, mayHaveEnded } from './shown-run.ts';
import { isMissed, questionOf, startInput, type StartMoment, timesOf } from './start-times.ts';
import { delayAfter, holdBeforeCall, plainWaitMs, stillDeferred, weighed } from './waiting.ts';

/** Decides a start that has no entry. */
export function decideNewStart(moment: Moment, read: CampaignRead | undefined): Decision {
  const own = storedOwn(moment);
  if (own?.campaignRunId !== undefined) return endGone(moment, own);
  const { command, config, run } = moment;
  if (run === undefined) return ends(moment, parked('CONFIG', unknownName(command.run ?? '', config)));
  if (read !== undefined && read.next !== 'read') return waitForRead(moment, read);
  const unasked = beforeGuards(moment, own);
  if (unasked !== undefined) return unasked;
  const start = { ...moment, run };
  const times = timesOf(start);
  const question = { ...questionOf(start, times), reading: read?.reading };
  const judged = judgeStart(question);
  const asked = laterOrder(moment) === undefined ? askInTheWay(moment, question, judged) : undefined;
  if (asked !== undefined) return asked;
  return decideJudged(start, times, { ...judged, mustRead: isGapUnread(question) });
}

/** A deferred start that is not due, or a missed one that another stands for: no guard is asked. */
function beforeGuards(moment: Moment, own: OwnRow | undefined): Decision | undefined {
  const early = own === undefined ? undefined : stillDeferred(moment, own);
  return early ?? (moment.madeUpBy && decideMissed(moment, moment.madeUpBy));
}

/** Before a run keeps this start off, or is ended for it, the gateway is asked whether it goes on. */
function askInTheWay(moment: Moment, { inTheWay }: StartQuestion, judged: Judgement): Decision | undefined {
  if (judged.kind !== 'stop-first' && !(judged.kind === 'skip' && judged.reason === 'OVERLAP')) return undefined;
  const entries = inTheWay.map(({ entry }) => entry).filter((entry) => mayHaveEnded(moment, entry));
  return askRun(moment, entries);
}

/** Row 1: its run was ended, or counted out. The rows are not read in one instant: the outcome holds only if no entry has come since. */
export function endGone(moment: Settling, own: OwnRow): Decision {
  const { campaignRunId, facts, refusedBy } = own;
  const { now } = moment;
  const until = facts === undefined || Date.parse(facts.endsAt) > now.getTime() ? now.toISOString() : facts.endsAt;
  const mayHaveRun = { from: facts?.due ?? own.command.issuedAt, until };
  const about = { campaignRunId, mayHaveRun };
  const end = idRow(moment, campaignRunId)?.end;
  const outcome =
    refusedBy !== undefined
      ? refusedEnd(refusedBy, about)
      : isEnd(end)
        ? superseded('its run was ended before an answer came', about)
        : skipped('UNCONFIRMED', 'no answer came, and its time is over', about);
  return ends(moment, outcome, unchangedTargets(moment));
}

/** The outcome of a start that a guard refused after its request had left. */
export function refusedEnd(
  { reason, detail }: NonNullable<CommandRow['refusedBy']>,
  more: Parameters<typeof skipped>[2],
) {
  return { outcome: { kind: 'skipped', reason, detail }, ...more } as const;
}

/** The campaign could not be read: a guard without its fact lets nothing pass. */
function waitForRead(moment: Moment, read: CallFailure): Decision {
  const { failure, refusals } = weighed(read, moment);
  const { why, evidence, reason = 'CONFIG' } = failure;
  if (failure.next === 'park') return ends(moment, parked(reason, why, { evidence }));
  return waits(moment, { delayMs: delayAfter(failure, moment), why, failed: { evidence, refusals } });
}

type Judged = Judgement & { readonly mustRead: boolean };

/** Rows 2 to 6, in their order. */
function decideJudged(moment: StartMoment, times: StartTimes, judged: Judged): Decision {
  const { verdicts } = judged;
  const isFirst = ['frozen', 'paused', 'alarm', 'validity'].includes(judged.by ?? '');
  const later = laterOrder(moment);
  if (later !== undefined && !isFirst) return ends(moment, superseded(laterSays, { verdicts }));
  switch (judged.kind) {
    case 'skip':
      return refuse(moment, judged);
    case 'defer':
      return defer(moment, judged);
    case 'later':
      return waitFor(moment, judged);
    case 'stop-first':
    case 'pass':
      return goOn(moment, times, judged);
  }
}

/** A missed start waits for what passes with time. */
function refuse(moment: StartMoment, { by, reason, detail, verdicts }: Extract<Judged, { kind: 'skip' }>): Decision {
  const passes = by === 'overlap' || by === 'gap';
  if (passes && isMissed(moment)) {
    return waits(moment, { delayMs: plainWaitMs(moment), why: detail });
  }
  return ends(moment, skipped(reason, detail, { verdicts }));
}

/** Another run, or a campaign that shows no instant: that is asked again as after a failed call. */
function waitFor(moment: Moment, { by, detail }: Extract<Judgement, { kind: 'later' }>): Decision {
  if (by !== 'gap') return waits(moment, { delayMs: plainWaitMs(moment), why: detail });
  return waits(moment, { delayMs: delayAfter({}, moment), why: detail, failed: { evidence: { requestSent: true } } });
}

/** Rows 4 to 6: no run is ended, and no campaign read, for a start that has no id. */
function goOn(
  moment: StartMoment,
  times: StartTimes,
  judged: Extract<Judged, { kind: 'pass' | 'stop-first' }>,
): Decision {
  const { verdicts } = judged;
  const campaignRunId = freeIdOf(moment);
  if (campaignRunId === undefined) {
    const why = noIdSays(moment);
    if (!mayFill(moment)) return ends(moment, parked('NO_RUN_LEFT', why, { verdicts }));
    return waits(moment, { delayMs: plainWaitMs(moment), why });
  }
  if (judged.mustRead && moment.run.campaignId !== undefined) return askCampaign(moment, moment.run.campaignId);
  return judged.kind === 'pass' ? send(moment, campaignRunId, times, verdicts) : endOthers(moment, judged);
}

/** The latest stop by name or deferred start, if it is later than this start. */
export function laterOrder(moment: Moment): CommandOrder | undefined {
  const latest = runRow(moment, moment.command.run)?.latest;
  return latest !== undefined && compareCommands(latest, moment.command) > 0 ? latest : undefined;
}

/** Why such a start is superseded. */
export const laterSays = 'a later stop, or a deferred start, of this run is recorded';

/** Row 2: of several deferred starts of a run the latest is sent, whichever comes first. */
function defer(moment: StartMoment, judged: Extract<Judgement, { kind: 'defer' }>): Decision {
  const { until, blackout, verdicts, detail } = judged;
  const own = ownRow(moment);
  const deferred: CommandRow = {
    ...own,
    attempt: undefined,
    deferred: { from: own.deferred?.from ?? moment.now.toISOString(), until, blackout },
    verdicts,
    openState: 'DEFERRED',
    openSince: until,
    expiresAt: expiryOf('command', new Date(until)),
  };
  return { writes: [...withLatest(moment), deferred], then: { kind: 'deferred', detail } };
}

/** The id that this start uses: the one that it names, or the next free one of its run. */
function freeIdOf(moment: StartMoment): string | undefined {
  const { command, run } = moment;
  const { campaignRunId } = command;
  const candidates = campaignRunId === undefined ? idsOf(moment, run, moment.now).free : [campaignRunId];
  return candidates.find((id) => isFreeId(idRow(moment, id)));
}

/** An empty pool of any size has its first runs within minutes. */
const fillsWithinMs = 15 * 60_000;

/** Whether a start that finds no id waits for the pool of its run. */
function mayFill(moment: StartMoment): boolean {
  const { command, run, now } = moment;
  if (run.pool === undefined || command.campaignRunId !== undefined) return false;
  const isFilling = idsOf(moment, run, now).pool?.failing === undefined;
  return isFilling && now.getTime() - Date.parse(command.issuedAt) < fillsWithinMs;
}

function noIdSays({ command: { campaignRunId }, run }: StartMoment): string {
  if (campaignRunId !== undefined) return `the id ${campaignRunId} has been used`;
  if (run.pool === undefined) return `every id of ${run.name} has been used`;
  return `no run of ${run.name} is ready: autopilot status says why none is made`;
}

/** Reads the campaign before anything is decided that depends on it. */
export function askCampaign(moment: Moment, campaignId: string): Decision {
  const hold = holdBeforeCall('reads', moment);
  if (hold !== undefined) return waits(moment, hold);
  return { writes: [], effect: { do: 'read-campaign', campaignId }, then: { kind: 'next' } };
}

/** Row 4: the runs in flight are ended by commands of their own, and the start comes back. */
function endOthers(moment: StartMoment, { runs, detail }: Extract<Judgement, { kind: 'stop-first' }>): Decision {
  const { now } = moment;
  const ids = new Set(runs.map(({ startId }) => startId));
  const left = entriesIn(moment).filter(({ entry }) => ids.has(entry.startId) && entry.state !== 'stopping');
  const stops = left.map(({ entry }) => endOf(entry, now, 'it makes room for a newer start'));
  const writes = changedTargets(left, ({ startId }) => ({ state: 'stopping', orderedBy: commandIds.end(startId) }));
  const effect = stops.length === 0 ? undefined : ({ do: 'send-ends', ends: stops } as const);
  return waits(moment, { delayMs: plainWaitMs(moment), why: detail, writes, effect });
}

/** Row 6: the write before the PATCH of a start, and the PATCH. */
function send(
  moment: StartMoment,
  campaignRunId: string,
  times: StartTimes,
  verdicts: CommandRow['verdicts'],
): Decision {
  const hold = holdBeforeCall('runs', moment);
  if (hold !== undefined) return waits(moment, hold);
  const { target } = moment.run.guards;
  const entry = newEntry(moment, campaignRunId, times);
  const facts = startFacts(entry);
  const own = begun(moment, { campaignRunId, target, facts, verdicts }, times.startAt);
  return {
    writes: [withNewEntry(moment, entry), usedBy(moment, campaignRunId), idRowOf(entry, target), own],
    effect: { do: 'patch', to: 'start', input: startInput(moment, campaignRunId, times) },
    then: { kind: 'next' },
  };
}

function newEntry(moment: StartMoment, campaignRunId: string, { due, endsAt, plansStop }: StartTimes): InFlight {
  const { name: run, campaign, campaignId, confirm } = moment.run;
  const { id: startId, issuedAt } = moment.command;
  const about = { campaignRunId, run, campaign, campaignId, startId, issuedAt, plansStop };
  return {
    ...about,
    confirmWithin: confirm?.within,
    due: due.toISOString(),
    sentAt: moment.now.toISOString(),
    endsAt: endsAt.toISOString(),
    state: 'starting',
    unanswered: 1,
    until: attemptEnd(moment),
  };
}

function withNewEntry(moment: StartMoment, entry: InFlight): TargetRow {
  const { run, now, config } = moment;
  const { guards } = run;
  const row = withEntry(targetRow(moment, guards.target) ?? newTargetRow(guards.target), entry);
  return remembered(row, { ...entry, guards, timeZone: config.timezone }, now);
}

/** At a gateway that starts by a word: when this attempt ends. Else nothing depends on it. */
export function attemptEnd({ config, now, delivery }: Moment): string | undefined {
  if (config.gateway.status.start === undefined) return undefined;
  return new Date(now.getTime() + delivery.remainingMs).toISOString();
}

/** The row of the name: this id is used, with every id found used beside it. It notes the targets that may have its entries. */
function usedBy(moment: StartMoment, campaignRunId: string): RunRow {
  const { run } = moment;
  const before = runRow(moment, run.name) ?? newRunRow(run.name);
  const taken = idsOf(moment, run, moment.now).free.filter((id) => !isFreeId(idRow(moment, id)));
  const { pk, ...rest } = [...taken, campaignRunId].reduce(withUsed, before);
  const others = entriesIn(moment).filter(({ entry }) => entry.run === run.name);
  const targets = [...new Set([run.guards.target, ...others.map(({ row }) => row.target)])];
  return { ...rest, pk, targets };
}
