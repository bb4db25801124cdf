/** The end of a run: its entry goes, its name keeps how it ended, and findings come and go. */
import { type Ledger, type RowChange, rowAt, type Stored } from '#shared/ledger/ledger.ts';
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
import type { WatchDeps } from '../_watch/watch-tick.ts';

/** A run that the gateway shows as ended. */
export interface Ended {
  /** Key of the row of its target. */
  readonly pk: TargetRow['pk'];
  readonly entry: InFlight;
  readonly startMs: number;
  readonly shown: RunRead;
  /** The confirmation as it was read, and as it is to be. */
  readonly note: RowChange<ConfirmationRow>;
}

/**
 * Takes a run that has ended out, in one write with all that follows from its end. The events come first: a tick that dies after them sends them
 * once more, under the same ids.
 * @returns whether it was taken out
 */
export async function noteEnd(ended: Ended, deps: WatchDeps): Promise<boolean> {
  const { ledger } = deps;
  // The rows as they are now: other entries of this target may have ended in this tick.
  const rows = await ledger.readMany(keysOf(ended, deps));
  const target = rowAt<TargetRow>(rows, ended.pk);
  const now = openEntries(target).find(({ startId }) => startId === ended.entry.startId);
  if (target === undefined || now === undefined) return false;
  const { end, ends, found } = judgeEnd(ended, rows, deps);
  await publishEnd(ended, deps);
  await publishFound(ended, found, deps);
  const written = await ledger.writeAll([
    { before: target, after: leftOf(target, now) },
    ended.note,
    ...idChange(ended, now, rows),
    ends,
    ...found,
  ]);
  if (written === 'row-changed') return false;
  if (isPoint(end)) deps.reports.level(metricNames.campaignRunScore, end.score, { run: now.run });
  if (found.some(({ after }) => after.finding === 'SCORE_LOW' && after.count > 0)) {
    deps.reports.count(metricNames.scoresLow, 1);
  }
  return true;
}

/** The runs in flight of a target, and those that a stop ended. */
export function openEntries({ runs = [], stopped = [] }: Partial<TargetRow> = {}): readonly InFlight[] {
  return [...runs, ...stopped];
}

function leftOf(target: TargetRow, { startId }: InFlight): TargetRow {
  const stopped = target.stopped?.filter((one) => one.startId !== startId);
  return withStopped(withoutEntry(target, startId), stopped ?? []);
}

type Rows = ReadonlyMap<string, Stored>;

function keysOf({ pk, entry: { run, campaignRunId } }: Ended, deps: WatchDeps): readonly string[] {
  return [
    pk,
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

function idChange({ entry, shown }: Ended, now: InFlight, rows: Rows): readonly RowChange[] {
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

function judgeEnd({ entry, startMs, shown }: Ended, rows: Rows, deps: WatchDeps): Judged {
  const { run, startId, campaignRunId } = entry;
  const startAt = new Date(startMs).toISOString();
  const known = rowAt<RunEndsRow>(rows, ledgerKeys.runEnds(run));
  const changes = changeKeys(run, deps).map((key) => rowAt<ChangesRow>(rows, key));
  const bare = runEnd({ startId, campaignRunId, startAt }, shown);
  const end = { ...bare, changed: changedBefore(bare, known, changes) };
  const low = lowScore(end, known, deps.config.results?.ofRun[run]?.score ?? {});
  const start = { startId, campaignRunId, startAt, at: shown.at };
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

/** What every event about a run has. */
function fieldsOfEnd({ entry, startMs, shown: { at } }: Ended) {
  const { campaignRunId, run, campaign, startId: commandId } = entry;
  return { campaignRunId, run, campaign, commandId, startAt: new Date(startMs).toISOString(), at };
}

async function publishEnd(ended: Ended, { bus }: Pick<WatchDeps, 'bus'>): Promise<void> {
  const { entry, startMs, shown } = ended;
  const { status, at, score, progress, total } = shown;
  const lastedMs = Date.parse(at) - startMs;
  await bus.publish(eventTypes.campaignRunEnded, {
    eventId: `ended:${entry.startId}`,
    ...fieldsOfEnd(ended),
    status,
    score,
    progress,
    total,
    lastedMs,
    detail: readingSays(shown, lastedMs),
    errors: promptErrors(shown),
  });
}

/** Each finding that came is an event of its own. */
async function publishFound(ended: Ended, found: Judged['found'], { bus }: Pick<WatchDeps, 'bus'>): Promise<void> {
  const { entry, startMs, shown } = ended;
  const about = { ...fieldsOfEnd(ended), detail: readingSays(shown, Date.parse(shown.at) - startMs) };
  for (const { finding, count, low } of found.map(({ after }) => after)) {
    if (count === 0) continue;
    const type = finding === 'SCORE_LOW' ? eventTypes.campaignRunScoreLow : eventTypes.campaignRunFailed;
    const eventId = `${finding.toLowerCase()}:${entry.startId}`;
    await bus.publish(type, { eventId, ...about, inARow: count, ...(low && { ...low, because: lowBecause(low) }) });
  }
}

/** Reports an end in the log. @returns it in words */
export function reportEnd({ entry, startMs, shown }: Ended, { reports }: Pick<WatchDeps, 'reports'>): string {
  const { campaignRunId, run, startId: commandId } = entry;
  const says = `${run}: ${readingSays(shown, Date.parse(shown.at) - startMs)}`;
  const level = hasFailed(shown) ? 'error' : promptErrors(shown) === undefined ? 'info' : 'warn';
  if (level === 'error') reports.count(metricNames.runsFailed, 1);
  reports.log[level](logEvents.runEnded, `${campaignRunId} of ${says}`, { campaignRunId, run, commandId });
  return says;
}

/** Writes a confirmation, with the finding that comes by it; if it shows that the run began, the one that none was seen goes. */
export async function writeConfirmation(
  { before, after }: RowChange<ConfirmationRow>,
  {
    unseen,
    startAt,
    came,
  }: {
    readonly unseen: Stored<FindingRow> | undefined;
    readonly startAt: string;
    readonly came: FindingRow | undefined;
  },
  ledger: Pick<Ledger, 'write' | 'writeAll'>,
): Promise<boolean> {
  const isNews = after.confirmed !== undefined && before?.confirmed === undefined;
  const gone = isNews ? withoutFinding(unseen, { startAt, at: after.confirmed.at }) : undefined;
  const finding = came ?? gone;
  if (finding === undefined) return (await ledger.write<ConfirmationRow>(before, after)) !== undefined;
  const changes = [
    { before, after },
    { before: unseen, after: finding },
  ];
  return (await ledger.writeAll(changes)) !== 'row-changed';
}
