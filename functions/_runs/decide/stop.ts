/** Stops, and the answers to them: rows 15 to 19 of the table in docs/reference/ledger.md. Pure. */
import { attemptOf, type CommandEnd, type CommandRow, type StopOfRun } from '#shared/ledger/rows/command-row.ts';
import type { StopState } from '#shared/ledger/rows/run-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdEnd, type IdRow, withEnd } from '#shared/ledger/rows/run-row.ts';
import { type TargetRow, withoutEntry, withStopped } from '#shared/ledger/rows/target-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { isParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { Answered, Decision, LastChance, Moment, Settling } from './state.ts';
import {
  afterWrites,
  applied,
  begun,
  changedEntry,
  changedTargets,
  ends,
  entriesIn,
  type Found,
  idRow,
  merged,
  orderOfStart,
  ownRow,
  parked,
  runRow,
  skipped,
  superseded,
  unchangedTargets,
  unknownName,
  waits,
  withLatest,
} from './rows.ts';
import { delayAfter, holdBeforeStop, landedMs, stopWaitMs, weighed } from './waiting.ts';

/** Decides a stop. Its first write notes a stop by name in any case: no earlier start takes an id after it. */
export function decideStop(moment: Moment): Decision {
  const left = leftOf(moment);
  if (left.length > 0) return stopRuns(moment, left);
  const { campaignRunId, startId } = moment.command;
  const isOfId = campaignRunId !== undefined && startId === undefined;
  if (isOfId && !isSettled(ownRow(moment), campaignRunId) && laterStart(moment, campaignRunId) === undefined) {
    return stopById(moment, campaignRunId);
  }
  return endStop(moment);
}

/** The runs in flight that this stop ends, and has not settled. */
function leftOf(moment: Settling): readonly Found[] {
  const { command } = moment;
  const { startId, campaignRunId, run } = command;
  const own = ownRow(moment);
  return entriesIn(moment).filter(({ entry }) => {
    if (isSettled(own, entry.campaignRunId)) return false;
    if (startId !== undefined) return entry.startId === startId;
    const isNamed = run === undefined ? entry.campaignRunId === campaignRunId : entry.run === run;
    return isNamed && compareCommands(orderOfStart(entry), command) < 0;
  });
}

function isSettled({ stops }: CommandRow, campaignRunId: string): boolean {
  const how = stops?.[campaignRunId]?.how;
  return how !== undefined && how !== 'ordered';
}

/** The start of an id that is later than this stop. */
function laterStart(moment: Moment, campaignRunId: string): CommandOrder | undefined {
  const entries = entriesIn(moment).filter(({ entry }) => entry.campaignRunId === campaignRunId);
  const { startId, issuedAt } = idRow(moment, campaignRunId) ?? {};
  const used = startId === undefined || issuedAt === undefined ? [] : [{ id: startId, issuedAt }];
  const starts = [...entries.map(({ entry }) => orderOfStart(entry)), ...used];
  return starts.find((start) => compareCommands(start, moment.command) > 0);
}

/** Row 15: all of them are ordered to stop, and the one that was tried least is asked for. */
function stopRuns(moment: Moment, left: readonly Found[]): Decision {
  const { now } = moment;
  const own = ownRow(moment);
  const ids = left.map(({ entry }) => entry.campaignRunId);
  const stops = { ...own.stops, ...Object.fromEntries(ids.map((id) => [id, ordered(moment)])) };
  const writes = merged(noted(moment), orderedTargets(moment, left));
  const [next] = readyOf(moment, left).toSorted(
    (a, b) =>
      triesOf(own, a.campaignRunId) - triesOf(own, b.campaignRunId) ||
      compareCommands(orderOfStart(b), orderOfStart(a)),
  );
  if (next === undefined) {
    const delayMs = Math.min(stopWaitMs(moment.delivery), ...left.map(({ entry }) => landedInMs(entry, now)));
    return waits(moment, { delayMs, why: 'its start may still land', writes, own: { stops } });
  }
  return patchStop(moment, next.campaignRunId, { writes, stops });
}

/** Those that can be asked for now. */
function readyOf({ now }: Moment, left: readonly Found[]): readonly Found['entry'][] {
  return left.map(({ entry }) => entry).filter((entry) => landedInMs(entry, now) <= 0);
}

/** Milliseconds until the requests of a start have landed; 0 if a stopped run never begins. */
function landedInMs({ unanswered, until }: Found['entry'], now: Date): number {
  if (unanswered === 0 || until === undefined) return 0;
  return landedMs(until) - now.getTime();
}

function triesOf({ tries }: CommandRow, campaignRunId: string): number {
  return tries?.[campaignRunId] ?? 0;
}

function orderedTargets(moment: Moment, left: readonly Found[]): readonly LedgerRow[] {
  const unordered = left.filter(({ entry }) => entry.state !== 'stopping');
  return changedTargets(unordered, () => ({ state: 'stopping', orderedBy: moment.command.id }));
}

/** Row 16: nothing of it is in flight. The gateway is asked all the same, and no start takes this id any more. */
function stopById(moment: Moment, campaignRunId: string): Decision {
  const stops: CommandRow['stops'] = { [campaignRunId]: ordered(moment) };
  const known: IdRow = idRow(moment, campaignRunId) ?? {
    pk: ledgerKeys.runId(campaignRunId),
    kind: 'run-id',
    campaignRunId,
  };
  const writes = [withEnd(known, endBy(moment, 'ordered')), ...unchangedTargets(moment)];
  return patchStop(moment, campaignRunId, { writes, stops });
}

function patchStop(
  moment: Moment,
  campaignRunId: string,
  { writes, stops }: Pick<CommandRow, 'stops'> & { readonly writes: readonly LedgerRow[] },
): Decision {
  const hold = holdBeforeStop(moment);
  if (hold !== undefined) return waits(moment, { ...hold, writes, own: { stops } });
  const own = ownRow(moment);
  const tries = { ...own.tries, [campaignRunId]: triesOf(own, campaignRunId) + 1 };
  return {
    writes: [...writes, begun(moment, { stops, tries })],
    effect: { do: 'patch', to: 'stop', input: { campaignRunId, status: moment.config.gateway.status.stop } },
    then: { kind: 'next' },
  };
}

/** Row 17: none is left. */
function endStop(moment: Moment): Decision {
  const { command, config } = moment;
  const { run, startId } = command;
  const settledEnd = endOfSettled(ownRow(moment), command);
  if (settledEnd !== undefined) return ends(moment, settledEnd, noted(moment));
  if (run === undefined) {
    const about = { campaignRunId: command.campaignRunId };
    if (startId === undefined) return ends(moment, superseded('a later start uses this id', about));
    return ends(moment, superseded('the run of its start is not in flight', about));
  }
  const isUnknown = runRow(moment, run) === undefined && !Object.hasOwn(config.runs, run);
  if (isUnknown) return ends(moment, parked('CONFIG', unknownName(run, config)));
  return ends(moment, skipped('NOTHING_TO_STOP', `no run of ${run} is in flight`), noted(moment));
}

/** By what became of the runs that it ordered to stop; none if it ordered none. */
function endOfSettled(own: CommandRow, { run, campaignRunId }: Moment['command']): CommandEnd | undefined {
  const { attempt, tries = {} } = own;
  if (idsIn(own, 'refused').length > 0) return refusedEnd(own);
  const stopped = idsIn(own, 'stopped');
  if (stopped.length > 0) return applied(stopped[0], attempt?.lastError ?? stoppedSays(stopped));
  const [ended] = idsIn(own, 'ended');
  const wasTried = run !== undefined && Object.keys(tries).length > 0;
  if (ended === undefined && !wasTried) return undefined;
  const why = attempt?.lastError ?? 'its run was ended meanwhile';
  const about = { campaignRunId: campaignRunId ?? ended };
  return skipped('ALREADY_ENDED', `this or an earlier stop may have ended it: ${why}`, about);
}

/** Of one run its row says it. */
function stoppedSays({ length }: readonly string[]): string | undefined {
  return length === 1 ? undefined : `${length} runs are stopped`;
}

function idsIn({ stops }: CommandRow, wanted: StopState): readonly string[] {
  return Object.entries(stops ?? {}).flatMap(([id, { how }]) => (how === wanted ? [id] : []));
}

function ordered({ now }: Moment): StopOfRun {
  return { how: 'ordered', at: now.toISOString() };
}

function endBy({ command, now }: Settling, how: IdEnd['how']): IdEnd {
  return { by: command.id, how, at: now.toISOString() };
}

function refusedEnd(own: CommandRow): CommandEnd {
  const refused = idsIn(own, 'refused');
  const { reason = 'CONFLICT', detail } = own.refusedBy ?? {};
  const says = `run ${refused.join(', ')} may still be running: ${detail}`;
  const about = { campaignRunId: refused[0], evidence: own.attempt?.evidence };
  return parked(isParkReason(reason) ? reason : 'CONFLICT', says, about);
}

/** The first write of a stop by name: its order, and the target rows as they were read with it. */
function noted(moment: Settling): readonly LedgerRow[] {
  const latest = withLatest(moment);
  return latest.length === 0 ? [] : [...latest, ...unchangedTargets(moment)];
}

/** Rows 18 and 19: what an answer to a stop settles; then the next run, or the outcome. */
export function decideStopAnswer(moment: Moment, { campaignRunId, answer }: Answered): Decision {
  const own = ownRow(moment);
  const attempt = attemptOf(own, moment.now);
  if (answer.next === 'applied') {
    // Refused as stopped already, and no earlier request of this stop may have done it: it had ended.
    const hadEnded = answer.why !== undefined && triesOf(own, campaignRunId) === 1 && moment.config.mode === 'act';
    const fields = { state: 'stopped', attempt: { ...attempt, lastError: answer.why } } as const;
    return settled(moment, campaignRunId, hadEnded ? { ...fields, how: 'ended' } : fields);
  }
  const { failure, refusals } = weighed(answer, moment);
  const { why, evidence, reason = 'CONFLICT' } = failure;
  const answered = { ...attempt, lastError: why, evidence };
  if (failure.isNotGoing === true) return settled(moment, campaignRunId, { state: 'ended', attempt: answered });
  if (failure.next === 'park') {
    return settled(moment, campaignRunId, { state: 'refused', attempt: answered, refusedBy: { reason, detail: why } });
  }
  const wait = waits(moment, { delayMs: delayAfter(failure, moment), why, failed: { evidence, refusals } });
  // A run that does not answer keeps no other one running.
  const tried = triesOf(own, campaignRunId);
  const isLeast = readyOf(moment, leftOf(moment)).every((entry) => triesOf(own, entry.campaignRunId) >= tried);
  return isLeast ? wait : { ...wait, then: { kind: 'next' } };
}

function settled(
  moment: Moment,
  campaignRunId: string,
  {
    state,
    how = state,
    ...fields
  }: Pick<CommandRow, 'attempt' | 'refusedBy'> & {
    readonly state: StopState;
    /** As the row of the id has it. @default the same */
    readonly how?: StopState;
  },
): Decision {
  const own = ownRow(moment);
  const stopOfRun = { how: state, at: moment.now.toISOString() };
  const after: CommandRow = { ...own, ...fields, stops: { ...own.stops, [campaignRunId]: stopOfRun } };
  const found = leftOf(moment).find(({ entry }) => entry.campaignRunId === campaignRunId);
  const id = idRow(moment, campaignRunId);
  const writes: LedgerRow[] = [after];
  if (found !== undefined) {
    writes.push(state === 'refused' ? changedEntry(found, goesOn) : withoutRun(found, moment));
  }
  if (id !== undefined) writes.push(withEnd(id, endBy(moment, how)));
  const next = decideStop(afterWrites(moment, writes));
  return { ...next, writes: merged(writes, next.writes) };
}

/** If runs can be read, the watcher reads once more what one came to that had begun. */
function withoutRun({ row, entry }: Found, { config: { mode, gateway }, now }: Moment): TargetRow {
  const left = withoutEntry(row, entry.startId);
  const isRead = mode === 'act' && gateway.readsRuns === true && Date.parse(entry.due) <= now.getTime();
  return isRead ? withStopped(left, [...(left.stopped ?? []), { ...entry, stoppedAt: now.toISOString() }]) : left;
}

const goesOn = { state: 'running', orderedBy: undefined } as const;

/** The stop gets its outcome now: the runs that it has ordered count as running, and their planned stops are armed. */
export function lastOfStop(moment: Settling, { reason, detail }: LastChance): Decision {
  const own = ownRow(moment);
  const { id, run } = moment.command;
  const open = leftOf(moment).filter(({ entry }) => entry.state === 'stopping' && entry.orderedBy === id);
  const says = `${detail}; the run may still be running: its stop is sent no more, so stop it at the gateway by hand if it must end now`;
  const campaignRunId = moment.command.campaignRunId ?? idsIn(own, 'ordered')[0];
  const end = parked(reason, says, { campaignRunId, evidence: own.attempt?.evidence });
  const targets = changedTargets(open, () => goesOn);
  const ids = idsIn(own, 'ordered').flatMap((uuid) => idRow(moment, uuid) ?? []);
  const givenUp = ids.map((row) => withEnd(row, endBy(moment, 'given-up')));
  return ends(moment, end, merged(run === undefined ? [] : noted(moment), targets, givenUp));
}
