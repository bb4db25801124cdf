import { BadStatusError } from '#shared/gateway-client/index.ts';
import { rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { type RunInFlight, readTargetsInFlight } from '#shared/ledger/open-rows.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { type ChangesRow, stageChanges, withDigest } from '#shared/ledger/results/changes-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type FindingRow, withFinding } from '#shared/ledger/results/finding-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  hasBegun,
  hasEnded,
  isOver,
  mayAskForRuns,
  runReadingOf,
  type RunRead,
  type RunReadingsRow,
} from '#shared/ledger/rows/run-reading.ts';
import { type InFlight, showsWithin, type StoppedRun } from '#shared/ledger/rows/target-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { noteEnd, openEntries, reportEnd, writeConfirmation } from './note-end.ts';
import { doEach, mayRead, readGateway, type WatchDeps } from '../_watch/watch-tick.ts';

/** A run in flight that may be running by now, or that a stop ended. */
interface Begun extends RunInFlight {
  readonly entry: InFlight & Partial<Pick<StoppedRun, 'stoppedAt'>>;
  readonly startMs: number;
  readonly start: CommandRow | undefined;
  readonly noted: Stored<ConfirmationRow> | undefined;
  /** The finding that no start of its name was seen. */
  readonly unseen: Stored<FindingRow> | undefined;
}

/** Reads each run in flight that may be running by now, if its gateway has that, and once more each that was stopped. A run that has ended frees its target. */
export async function readRuns(deps: WatchDeps): Promise<{ readonly ended: readonly string[] }> {
  const { config, ledger, now } = deps;
  const ended: string[] = [];
  if (config.mode === 'observe' || config.gateway.readsRuns !== true) return { ended };
  const before = await ledger.read<RunReadingsRow>(ledgerKeys.runReadings());
  if (!mayAskForRuns(before, now())) return { ended };
  let refused: number | undefined;
  let isAnswered = false;
  await doEach(await readDue(deps), async (run) => {
    const { entry, start } = run;
    const known = shownOf(run);
    const isKnown = known !== undefined && hasEnded(known);
    if (!isKnown && !(await mayRead(deps))) return;
    const shown = isKnown ? known : await readRun(entry, deps);
    if (typeof shown === 'number' && start?.request !== undefined) refused = shown;
    if (typeof shown !== 'object') return;
    isAnswered = true;
    const says = await noteReading(run, shown, deps);
    if (says !== undefined) ended.push(says);
  });
  // A run that is not found while others are read is only one run.
  if (refused === undefined || isAnswered) return { ended };
  const row = { pk: ledgerKeys.runReadings(), kind: 'run-readings', missingAt: now().toISOString() } as const;
  await ledger.write<RunReadingsRow>(before, { ...row, status: refused });
  return { ended };
}

/** The gateway still shows a run as scheduled that should have begun long ago. */
function isUnseen({ entry, startMs }: Begun, { status, at }: RunRead): boolean {
  if (entry.stoppedAt !== undefined) return false;
  const withinMs = durationMs(entry.confirmWithin ?? showsWithin) ?? 0;
  return status === 'scheduled' && Date.parse(at) >= startMs + withinMs;
}

/** A run that fails does so early. Later a start that would be skipped asks for itself. */
const eachMinuteForMs = 10 * 60_000;
/** Every fifth tick, at any second of its minute. */
const laterEachMs = 4.5 * 60_000;

/** Those past their `startAt`; the one that was read first is the first. One that was stopped before its `startAt` is none. */
async function readDue(deps: WatchDeps): Promise<readonly Begun[]> {
  const { ledger, now } = deps;
  const targets = await readTargetsInFlight(ledger);
  const inFlight = targets.flatMap((row) => openEntries(row).map((entry) => ({ row, entry })));
  if (inFlight.length === 0) return [];
  const changes = ledgerKeys.changes(stageChanges);
  const rows = await ledger.readMany([...new Set(inFlight.flatMap(({ entry }) => keysOf(entry))), changes]);
  await noteConfiguration(rowAt<ChangesRow>(rows, changes), deps);
  return inFlight
    .map((run): Begun => {
      const [startKey, notedKey, unseenKey] = keysOf(run.entry);
      const start = rowAt<CommandRow>(rows, startKey);
      const startMs = Date.parse(start?.startAt ?? run.entry.due);
      const noted = rowAt<ConfirmationRow>(rows, notedKey);
      return { ...run, start, startMs, noted, unseen: rowAt<FindingRow>(rows, unseenKey) };
    })
    .filter((run) => {
      const { stoppedAt } = run.entry;
      if (stoppedAt !== undefined) return Date.parse(stoppedAt) >= run.startMs;
      const sinceMs = now().getTime() - run.startMs;
      const unreadMs = now().getTime() - Date.parse(shownOf(run)?.at ?? '1970-01-01');
      return sinceMs >= 0 && (sinceMs <= eachMinuteForMs || unreadMs >= laterEachMs);
    })
    .toSorted((a, b) => (shownOf(a)?.at ?? '').localeCompare(shownOf(b)?.at ?? ''));
}

/** A score is compared across deployments: the first tick with a run in flight notes a configuration that is new. */
async function noteConfiguration(before: Stored<ChangesRow> | undefined, { config, ledger, now }: WatchDeps) {
  const digest = config.results?.digest;
  const after = digest === undefined ? undefined : withDigest(before, digest, now().toISOString());
  if (after !== undefined) await ledger.write<ChangesRow>(before, after);
}

function keysOf({ startId, campaignRunId, run }: InFlight) {
  const unseen = ledgerKeys.finding(run, 'RUN_UNSEEN');
  return [ledgerKeys.command(startId), ledgerKeys.confirmation(campaignRunId), unseen] as const;
}

/** What was noted of this very start. */
function shownOf({ entry, noted }: Begun): RunRead | undefined {
  return noted?.startId === entry.startId ? noted.shown : undefined;
}

/**
 * `GET campaign-run`. A failure is no error of the tick and closes no gate: the run counts as without the setting.
 * @returns the status of a refusal that may mean that the gateway has no such operation
 */
async function readRun({ campaignRunId, run }: InFlight, deps: WatchDeps): Promise<RunRead | number | undefined> {
  const read = await readGateway(() => deps.gateway.readCampaignRun({ campaignRunId }), deps);
  if (read.ok) {
    const reading = runReadingOf(read.answer.campaignRun);
    return reading && { ...reading, at: read.at };
  }
  const { error, verdict } = read;
  if (verdict.pauseMs !== undefined) await deps.gate.failed(verdict, campaignRunId);
  const sentence = `run ${campaignRunId} of ${run} could not be read: ${verdict.why}`;
  deps.reports.log.warn(logEvents.runUnread, sentence, { campaignRunId, run, error });
  return error instanceof BadStatusError && [404, 405].includes(error.status) ? error.status : undefined;
}

/**
 * Writes what the gateway says beside the start. If the run has ended and its start has its outcome, the same write takes the entry out. Without an
 * outcome the run worker reads the run itself.
 * @returns how it ended, in words, if the entry was taken out
 */
async function noteReading(run: Begun, shown: RunRead, deps: WatchDeps): Promise<string | undefined> {
  const { ledger, config } = deps;
  const { entry, noted, start, startMs, unseen } = run;
  const { campaignRunId, startId, campaignId } = entry;
  const own = noted?.startId === startId ? noted : undefined;
  const note: ConfirmationRow = {
    ...own,
    pk: ledgerKeys.confirmation(campaignRunId),
    kind: 'confirmation',
    campaignRunId,
    startId,
    run: entry.run,
    campaignId,
    confirmed: own?.confirmed ?? (hasBegun(shown) ? { at: shown.at, by: 'run' } : undefined),
    shown,
    expiresAt: expiryOf('confirmation', new Date(shown.at)),
  };
  if (start?.outcome !== undefined && isOver(shown, entry, config.gateway.status)) {
    const ended = { pk: run.row.pk, entry, startMs, shown, note: { before: noted, after: note } };
    return (await noteEnd(ended, deps)) ? reportEnd(ended, deps) : undefined;
  }
  const startAt = new Date(startMs).toISOString();
  const came = isUnseen(run, shown)
    ? withFinding(unseen, { run: entry.run, finding: 'RUN_UNSEEN' }, { startId, campaignRunId, startAt, at: shown.at })
    : undefined;
  await writeConfirmation({ before: noted, after: note }, { unseen, startAt, came }, ledger);
  return undefined;
}
