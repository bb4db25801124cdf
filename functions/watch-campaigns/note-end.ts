/** The end of a run: its entry goes, its name keeps how it ended, and findings come and go. */
import { type RowChange, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { type ChangesRow, changesWithin, stageChanges } from '#shared/ledger/results/changes-row.ts';
import { type FindingRow, lowBecause, withFinding, withoutFinding } from '#shared/ledger/results/finding-row.ts';
import { type FindingKind, findingKinds, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  isPoint,
  lowScore,
  type RunEnd,
  runEnd,
  type RunEndsRow,
  withRunEnd,
} from '#shared/ledger/results/run-ends-row.ts';
import { hasFailed, promptErrors, readingSays, type RunRead } from '#shared/ledger/rows/run-reading.ts';
import { endedByItself, type IdRow, withEnd } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, type TargetRow, withoutEntry, withStopped } from '#shared/ledger/rows/target-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { type BegunRun, openEntries, startOf } from './begun-runs.ts';
import type { WatchDeps } from '../_watch/watch-tick.ts';

/** A run that the gateway shows as ended. */
interface EndedRun extends BegunRun {
  readonly shown: RunRead;
  /** Its confirmation as it is to be. */
  readonly after: ConfirmationRow;
}

/**
 * Takes a run that has ended out, in one write with all that follows from its end. The events come first: a tick that dies after them sends them
 * once more, under the same ids.
 * @returns how it ended, in words; `undefined`: it was not taken out
 */
export async function noteEnd(ended: EndedRun, deps: WatchDeps): Promise<string | undefined> {
  const { ledger, reports } = deps;
  const { entry, target: pk, stored, after } = ended;
  // The rows as they are now: other entries of this target may have ended in this tick.
  const rows = await ledger.readMany(keysOf(ended, deps));
  const target = rowAt<TargetRow>(rows, pk);
  const now = openEntries(target).find(({ startId }) => startId === entry.startId);
  if (target === undefined || now === undefined) return undefined;
  const { end, ends, found } = judgeEnd(ended, rows, deps);
  await publishEnd(ended, found, deps);
  const written = await ledger.writeAll([
    { before: target, after: leftOf(target, now) },
    { before: stored, after },
    ...idChange(ended, now, rows),
    ends,
    ...found,
  ]);
  if (written === 'row-changed') return undefined;
  if (isPoint(end)) reports.level(metricNames.campaignRunScore, end.score, { run: now.run });
  if (found.some(({ after: { finding, count } }) => finding === 'SCORE_LOW' && count > 0)) {
    reports.count(metricNames.scoresLow, 1);
  }
  return reportEnd(ended, deps);
}

function leftOf(target: TargetRow, { startId }: InFlight): TargetRow {
  const stopped = target.stopped?.filter((one) => one.startId !== startId);
  return withStopped(withoutEntry(target, startId), stopped ?? []);
}

type Rows = ReadonlyMap<string, Stored>;

function keysOf({ target, entry: { run, campaignRunId } }: EndedRun, deps: WatchDeps): readonly string[] {
  return [
    target,
    ledgerKeys.runId(campaignRunId),
    ledgerKeys.runEnds(run),
    ...findingKinds.map((kind) => ledgerKeys.finding(run, kind)),
    ...changeKeys(run, deps),
  ];
}

function changeKeys(run: string, { config }: Pick<WatchDeps, 'config'>): readonly string[] {
  const watches = config.results?.ofRun[run]?.watches ?? [];
  return [...watches, stageChanges].map((watch) => ledgerKeys.changes(watch));
}

function idChange({ entry, shown }: EndedRun, now: InFlight, rows: Rows): readonly RowChange[] {
  const id = rowAt<IdRow>(rows, ledgerKeys.runId(entry.campaignRunId));
  const by = (shown.status === 'cancelled' ? now.orderedBy : undefined) ?? endedByItself;
  return id === undefined ? [] : [{ before: id, after: withEnd(id, { by, how: 'shown', at: shown.at }) }];
}

/** What the end of a run means for its name. */
interface Judged {
  readonly end: RunEnd;
  readonly ends: RowChange<RunEndsRow>;
  /** Findings that come or go. */
  readonly found: readonly RowChange<FindingRow>[];
}

function judgeEnd(ended: EndedRun, rows: Rows, deps: WatchDeps): Judged {
  const { entry, shown } = ended;
  const { run } = entry;
  const start = startOf(ended, shown.at);
  const known = rowAt<RunEndsRow>(rows, ledgerKeys.runEnds(run));
  const changes = changeKeys(run, deps).map((key) => rowAt<ChangesRow>(rows, key));
  const bare = runEnd(start, shown);
  const end = { ...bare, changed: changedBefore(bare, known, changes) };
  const low = lowScore(end, known, deps.config.results?.ofRun[run]?.score ?? {});
  const isGood = end.state === 'complete';
  const verdicts: Readonly<Record<FindingKind, boolean | undefined>> = {
    RUN_FAILED: hasFailed(shown) || (isGood ? false : undefined),
    RUN_UNSEEN: end.state === 'stopped' ? undefined : false,
    SCORE_LOW: isPoint(end) ? low !== undefined : undefined,
  };
  const found = findingKinds.flatMap((kind) => {
    const before = rowAt<FindingRow>(rows, ledgerKeys.finding(run, kind));
    const wanted = verdicts[kind];
    if (wanted === undefined) return [];
    const about = kind === 'SCORE_LOW' ? { ...start, low } : start;
    const after = wanted ? withFinding(before, { run, finding: kind }, about) : withoutFinding(before, start);
    return after === undefined ? [] : [{ before, after }];
  });
  return { end, ends: { before: known, after: withRunEnd(known, run, end) }, found };
}

/** So many changes help to find a cause; a list of all does not. */
const mostChanged = 10;

/** What changed since the complete run before began; nothing without one, since nothing is compared then. */
function changedBefore(
  { startAt, at }: RunEnd,
  known: RunEndsRow | undefined,
  rows: readonly (ChangesRow | undefined)[],
): readonly string[] | undefined {
  const last = known?.complete.find((one) => Date.parse(one.startAt) < Date.parse(startAt));
  if (last === undefined) return undefined;
  const lines = changesWithin(rows, { from: last.startAt, until: at });
  return lines.slice(-mostChanged).map(({ watch, says }) => (watch === stageChanges ? says : `${watch}: ${says}`));
}

/** The event of the end, and one of each finding that came. */
async function publishEnd(ended: EndedRun, found: Judged['found'], { bus }: Pick<WatchDeps, 'bus'>): Promise<void> {
  const { entry, startAt, shown } = ended;
  const { campaignRunId, run, campaign, startId: commandId } = entry;
  const { status, at, score, progress, total } = shown;
  const lastedMs = lastedOf(ended);
  const detail = readingSays(shown, lastedMs);
  const about = { campaignRunId, run, campaign, commandId, startAt: startAt.toISOString(), at, detail };
  const says = { status, score, progress, total, lastedMs, errors: promptErrors(shown) };
  await bus.publish(eventTypes.campaignRunEnded, { eventId: `ended:${commandId}`, ...about, ...says });
  for (const { finding, count, low } of found.map(({ after }) => after)) {
    if (count === 0) continue;
    const type = finding === 'SCORE_LOW' ? eventTypes.campaignRunScoreLow : eventTypes.campaignRunFailed;
    const eventId = `${finding.toLowerCase()}:${commandId}`;
    await bus.publish(type, { eventId, ...about, inARow: count, ...(low && { ...low, because: lowBecause(low) }) });
  }
}

function lastedOf({ startAt, shown: { at } }: EndedRun): number {
  return Date.parse(at) - startAt.getTime();
}

/** Reports an end in the log. @returns it in words */
function reportEnd(ended: EndedRun, { reports }: Pick<WatchDeps, 'reports'>): string {
  const { entry, shown } = ended;
  const { campaignRunId, run, startId: commandId } = entry;
  const says = `${run}: ${readingSays(shown, lastedOf(ended))}`;
  const level = hasFailed(shown) ? 'error' : promptErrors(shown) === undefined ? 'info' : 'warn';
  if (level === 'error') reports.count(metricNames.runsFailed, 1);
  reports.log[level](logEvents.runEnded, `${campaignRunId} of ${says}`, { campaignRunId, run, commandId });
  return says;
}
