import { BadStatusError } from '#shared/gateway-client/index.ts';
import { rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { type ChangesRow, stageChanges, withDigest } from '#shared/ledger/results/changes-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  hasBegun,
  hasEnded,
  isOver,
  mayAskForRuns,
  runReadingOf,
  type RunRead,
  type RunReadingsRow,
} from '#shared/ledger/rows/run-reading.ts';
import { type InFlight, showsWithin } from '#shared/ledger/rows/target-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { type BegunRun, readBegunRuns, withSeen, writeSeen } from './begun-runs.ts';
import { noteEnd } from './note-end.ts';
import { callGateway, doEach, mayCall, type WatchDeps } from '../_watch/watch-tick.ts';

/**
 * Reads each run in flight that may be running by now, if its gateway has that, and once more each that was stopped. A run that has ended frees its target.
 * @returns how those ended that did, in words
 */
export async function readRuns(deps: WatchDeps): Promise<readonly string[]> {
  const { config, ledger, now } = deps;
  if (config.mode === 'observe' || config.gateway.readsRuns !== true) return [];
  const before = await ledger.read<RunReadingsRow>(ledgerKeys.runReadings());
  if (!mayAskForRuns(before, now())) return [];
  const changes = ledgerKeys.changes(stageChanges);
  const { runs, rows } = await readBegunRuns(deps, [changes]);
  if (runs.length > 0) await noteConfiguration(rowAt<ChangesRow>(rows, changes), deps);
  const ended: string[] = [];
  let refused: number | undefined;
  let isAnswered = false;
  await doEach(dueIn(runs, now()), async (run) => {
    const known = run.noted?.shown;
    const isKnown = known !== undefined && hasEnded(known);
    if (!isKnown && !(await mayCall('reads', deps))) return;
    const shown = isKnown ? known : await readRun(run.entry, deps);
    if (typeof shown === 'number' && run.start?.request !== undefined) refused = shown;
    if (typeof shown !== 'object') return;
    isAnswered = true;
    const says = await noteReading(run, shown, deps);
    if (says !== undefined) ended.push(says);
  });
  // A run that is not found while others are read is only one run.
  if (refused === undefined || isAnswered) return ended;
  const row = { pk: ledgerKeys.runReadings(), kind: 'run-readings', missingAt: now().toISOString() } as const;
  await ledger.write<RunReadingsRow>(before, { ...row, status: refused });
  return ended;
}

/** The gateway still shows a run as scheduled that should have begun long ago. */
function isUnseen({ entry, startAt }: BegunRun, { status, at }: RunRead): boolean {
  if (entry.stoppedAt !== undefined) return false;
  const withinMs = durationMs(entry.confirmWithin ?? showsWithin) ?? 0;
  return status === 'scheduled' && Date.parse(at) >= startAt.getTime() + withinMs;
}

/** A run that fails does so early. Later a start that would be skipped asks for itself. */
const eachMinuteForMs = 10 * 60_000;
/** Every fifth tick, at any second of its minute. */
const laterEachMs = 4.5 * 60_000;

function readAt({ noted }: BegunRun): string {
  return noted?.shown?.at ?? '1970-01-01';
}

/** Those to read now; the one that was read first is the first. One that was stopped before its `startAt` is none. */
function dueIn(begun: readonly BegunRun[], now: Date): readonly BegunRun[] {
  return begun
    .filter((run) => {
      const { entry, startAt } = run;
      if (entry.stoppedAt !== undefined) return new Date(entry.stoppedAt) >= startAt;
      const isEarly = now.getTime() - startAt.getTime() <= eachMinuteForMs;
      return isEarly || now.getTime() - Date.parse(readAt(run)) >= laterEachMs;
    })
    .toSorted((a, b) => readAt(a).localeCompare(readAt(b)));
}

/** A score is compared across deployments: the first tick with a run that has begun notes a configuration that is new. */
async function noteConfiguration(before: Stored<ChangesRow> | undefined, { config, ledger, now }: WatchDeps) {
  const digest = config.results?.digest;
  const after = digest === undefined ? undefined : withDigest(before, digest, now().toISOString());
  if (after !== undefined) await ledger.write<ChangesRow>(before, after);
}

/**
 * `GET campaign-run`. A failure is no error of the tick and closes no gate: the run counts as without the setting.
 * @returns the status of a refusal that may mean that the gateway has no such operation
 */
async function readRun({ campaignRunId, run }: InFlight, deps: WatchDeps): Promise<RunRead | number | undefined> {
  const read = await callGateway('get', () => deps.gateway.readCampaignRun({ campaignRunId }), deps);
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
async function noteReading(run: BegunRun, shown: RunRead, deps: WatchDeps): Promise<string | undefined> {
  const { entry, noted, start } = run;
  const { at } = shown;
  const confirmed = noted?.confirmed ?? (hasBegun(shown) ? { at, by: 'run' as const } : undefined);
  const after = withSeen(run, { confirmed, shown }, at);
  if (start?.outcome !== undefined && isOver(shown, entry, deps.config.gateway.status)) {
    return noteEnd({ ...run, shown, after }, deps);
  }
  await writeSeen(run, { after, at, isMissing: isUnseen(run, shown) }, deps.ledger);
  return undefined;
}
