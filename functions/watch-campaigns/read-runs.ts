import { BadStatusError } from '#shared/gateway-client/index.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { type RunInFlight, readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  hasBegun,
  hasEnded,
  hasFailed,
  isOver,
  mayAskForRuns,
  promptErrors,
  readingSays,
  runReadingOf,
  type RunRead,
  type RunReadingsRow,
} from '#shared/ledger/rows/run-reading.ts';
import { endedByItself, type IdRow, type RunRow, withEnd, withLasted } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, type TargetRow, withoutEntry } from '#shared/ledger/rows/target-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { doEach, mayRead, readGateway, type WatchDeps } from './watched-campaign.ts';

/** A run in flight that may be running by now. */
interface Begun extends RunInFlight {
  readonly startMs: number;
  readonly start: CommandRow | undefined;
  readonly noted: Stored<ConfirmationRow> | undefined;
}

/** Reads each run in flight that may be running by now, if its gateway has that. A run that has ended frees its target. */
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
    if (await noteReading(run, shown, deps)) ended.push(reportEnd(run, shown, deps));
  });
  // A run that is not found while others are read is only one run.
  if (refused === undefined || isAnswered) return { ended };
  const row = { pk: ledgerKeys.runReadings(), kind: 'run-readings', missingAt: now().toISOString() } as const;
  await ledger.write<RunReadingsRow>(before, { ...row, status: refused });
  return { ended };
}

/** A run that fails does so early. Later a start that would be skipped asks for itself. */
const eachMinuteForMs = 10 * 60_000;
const laterEveryMinutes = 5;

/** Those past their `startAt`; the one that was read first is the first. */
async function readDue({ ledger, now }: WatchDeps): Promise<readonly Begun[]> {
  const inFlight = await readRunsInFlight(ledger);
  const rows = await ledger.readMany([...new Set(inFlight.flatMap(({ entry }) => keysOf(entry)))]);
  return inFlight
    .map((run): Begun => {
      const [startKey, notedKey] = keysOf(run.entry);
      const start = rowAt<CommandRow>(rows, startKey);
      const startMs = Date.parse(start?.startAt ?? run.entry.due);
      return { ...run, start, startMs, noted: rowAt<ConfirmationRow>(rows, notedKey) };
    })
    .filter(({ startMs }) => {
      const sinceMs = now().getTime() - startMs;
      return sinceMs >= 0 && (sinceMs <= eachMinuteForMs || now().getUTCMinutes() % laterEveryMinutes === 0);
    })
    .toSorted((a, b) => (shownOf(a)?.at ?? '').localeCompare(shownOf(b)?.at ?? ''));
}

function keysOf({ startId, campaignRunId }: InFlight) {
  return [ledgerKeys.command(startId), ledgerKeys.confirmation(campaignRunId)] as const;
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
 * @returns whether the entry was taken out
 */
async function noteReading(run: Begun, shown: RunRead, deps: WatchDeps): Promise<boolean> {
  const { ledger, config } = deps;
  const { entry, noted, start } = run;
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
    // The event first: a tick that dies after it sends it once more, under the same id.
    await publishEnd(run, shown, deps);
    return takeOut(run, note, { ledger });
  }
  await ledger.write<ConfirmationRow>(noted, note);
  return false;
}

/** The rows as they are now: other entries of this target may have ended in this tick. */
async function takeOut(
  { row, entry, noted, startMs }: Begun,
  note: ConfirmationRow,
  { ledger }: Pick<WatchDeps, 'ledger'>,
): Promise<boolean> {
  const target = await ledger.read<TargetRow>(row.pk);
  const id = await ledger.read<IdRow>(ledgerKeys.runId(entry.campaignRunId));
  const lasted = await lastedChange(note, startMs, ledger);
  const now = target?.runs.find(({ startId }) => startId === entry.startId);
  if (target === undefined || now === undefined) return false;
  const { status, at = '' }: Partial<RunRead> = note.shown ?? {};
  const by = (status === 'cancelled' ? now.orderedBy : undefined) ?? endedByItself;
  const written = await ledger.writeAll([
    { before: target, after: withoutEntry(target, entry.startId) },
    { before: noted, after: note },
    ...(id === undefined ? [] : [{ before: id, after: withEnd(id, { by, how: 'shown', at }) }]),
    ...lasted,
  ]);
  return written !== 'row-changed';
}

/** Of a complete run: its name keeps how long it took. */
async function lastedChange({ run, shown }: ConfirmationRow, startMs: number, ledger: Pick<Ledger, 'read'>) {
  if (shown?.status !== 'complete') return [];
  const row = await ledger.read<RunRow>(ledgerKeys.run(run));
  return row === undefined ? [] : [{ before: row, after: withLasted(row, Date.parse(shown.at) - startMs) }];
}

async function publishEnd({ entry, startMs }: Begun, shown: RunRead, { bus }: WatchDeps): Promise<void> {
  const { campaignRunId, run, campaign, startId: commandId } = entry;
  const { status, at } = shown;
  const says = { detail: readingSays(shown, Date.parse(at) - startMs), errors: promptErrors(shown) };
  const about = { campaignRunId, run, campaign, commandId, status, startAt: new Date(startMs).toISOString(), at };
  await bus.publish(eventTypes.campaignRunEnded, { eventId: `ended:${commandId}`, ...about, ...says });
}

function reportEnd({ entry, startMs }: Begun, shown: RunRead, { reports }: WatchDeps): string {
  const { campaignRunId, run, startId: commandId } = entry;
  const says = `${run}: ${readingSays(shown, Date.parse(shown.at) - startMs)}`;
  const level = hasFailed(shown) ? 'error' : promptErrors(shown) === undefined ? 'info' : 'warn';
  if (level === 'error') reports.count(metricNames.runsFailed, 1);
  reports.log[level](logEvents.runEnded, `${campaignRunId} of ${says}`, { campaignRunId, run, commandId });
  return says;
}
