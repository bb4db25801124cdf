import { BadStatusError, classifyFailure, GatewayError } from '#shared/gateway-client/index.ts';
import { rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  hasBegun,
  hasEnded,
  mayAskForRuns,
  readingSays,
  runReadingOf,
  type RunRead,
  type RunReadingsRow,
} from '#shared/ledger/rows/run-reading.ts';
import { endedByItself, type IdRow } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, type TargetRow, withoutEntry } from '#shared/ledger/rows/target-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { isOver } from '../_runs/decide/shown-run.ts';
import { doEach, mayRead, type WatchDeps } from './watched-campaign.ts';

/** A run in flight that may be running by now. */
interface Begun {
  readonly entry: InFlight;
  readonly target: string;
  readonly startAt: Date;
  readonly start: CommandRow | undefined;
  /** Of this very start. */
  readonly known: Stored<ConfirmationRow> | undefined;
  readonly earlier: Stored<ConfirmationRow> | undefined;
}

/** Reads each run in flight that may be running by now, if its gateway has that. A run that has ended frees its target. */
export async function readRuns(deps: WatchDeps): Promise<{ readonly ended: readonly string[] }> {
  const { config, ledger } = deps;
  const ended: string[] = [];
  if (config.mode === 'observe' || config.gateway.readsRuns !== true) return { ended };
  const missing = await ledger.read<RunReadingsRow>(ledgerKeys.runReadings());
  if (!mayAskForRuns(missing, deps.now())) return { ended };
  const answers = new Map<Begun, RunRead | number | undefined>();
  await doEach(
    (await readBegun(deps)).filter((run) => isDue(run, deps.now())),
    async (run) => {
      const { known } = run;
      const isKnown = known?.shown !== undefined && hasEnded(known.shown.status);
      if (!isKnown && !(await mayRead(deps))) return;
      const answer = isKnown ? known.shown : await readRun(run.entry, deps);
      answers.set(run, answer);
      if (typeof answer === 'object' && (await noteReading(run, answer, deps)))
        ended.push(reportEnd(run, answer, deps));
    },
  );
  await noteMissing(answers, missing, deps);
  return { ended };
}

/** Those past their `startAt`; the one that was read first is the first. */
async function readBegun({ ledger, now }: WatchDeps): Promise<readonly Begun[]> {
  const inFlight = await readRunsInFlight(ledger);
  const keys = inFlight.flatMap(({ entry: { startId, campaignRunId } }) => [
    ledgerKeys.command(startId),
    ledgerKeys.confirmation(campaignRunId),
  ]);
  if (keys.length === 0) return [];
  const rows = await ledger.readMany([...new Set(keys)]);
  return inFlight
    .map(({ row: { target }, entry }): Begun => {
      const start = rowAt<CommandRow>(rows, ledgerKeys.command(entry.startId));
      const earlier = rowAt<ConfirmationRow>(rows, ledgerKeys.confirmation(entry.campaignRunId));
      const known = earlier?.startId === entry.startId ? earlier : undefined;
      return { entry, target, startAt: new Date(start?.startAt ?? entry.due), start, known, earlier };
    })
    .filter(({ startAt }) => startAt <= now())
    .toSorted((a, b) => (a.known?.shown?.at ?? '').localeCompare(b.known?.shown?.at ?? ''));
}

/** A run that fails does so early. Later a start that would be skipped asks for itself. */
const eachMinuteForMs = 10 * 60_000;
const laterEveryMinutes = 5;

function isDue({ startAt }: Begun, now: Date): boolean {
  return now.getTime() - startAt.getTime() <= eachMinuteForMs || now.getUTCMinutes() % laterEveryMinutes === 0;
}

/**
 * `GET campaign-run`. A failure is no error of the tick and closes no gate: the run counts as without the setting.
 * @returns the status of a refusal that may mean that the gateway has no such operation
 */
async function readRun({ campaignRunId, run }: InFlight, deps: WatchDeps): Promise<RunRead | number | undefined> {
  const { gateway, gate, rateLimiter, now, reports } = deps;
  await rateLimiter.take('reads', deps.remainingMs() - deps.callBudgetMs);
  const at = now().toISOString();
  try {
    const { campaignRun } = await gateway.readCampaignRun({ campaignRunId });
    await gate.answered();
    const reading = runReadingOf(campaignRun);
    return reading === undefined ? undefined : { ...reading, at };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const verdict = classifyFailure('get', error);
    if (verdict.pauseMs !== undefined) await gate.failed(verdict, campaignRunId);
    const sentence = `run ${campaignRunId} of ${run} could not be read: ${verdict.why}`;
    reports.log.warn(logEvents.runUnread, sentence, { campaignRunId, run, error });
    return error instanceof BadStatusError && [404, 405].includes(error.status) ? error.status : undefined;
  }
}

/**
 * Writes what the gateway says beside the start. If the run has ended and its start has its outcome, the same write takes the entry out. Without an
 * outcome the run worker reads the run itself.
 * @returns whether the entry was taken out
 */
async function noteReading(run: Begun, shown: RunRead, { ledger, config }: WatchDeps): Promise<boolean> {
  const { entry, earlier, start } = run;
  const note = noteOf(run, shown);
  if (start?.outcome === undefined || !isOver(shown, entry, config.gateway)) {
    await ledger.write<ConfirmationRow>(earlier, note);
    return false;
  }
  // As they are now: other entries of this target may have ended in this tick.
  const target = await ledger.read<TargetRow>(ledgerKeys.target(run.target));
  const id = await ledger.read<IdRow>(ledgerKeys.runId(entry.campaignRunId));
  const now = target?.runs.find(({ startId }) => startId === entry.startId);
  if (target === undefined || now === undefined) return false;
  const endedBy = id?.endedBy ?? (shown.status === 'cancelled' ? now.orderedBy : undefined) ?? endedByItself;
  const written = await ledger.writeAll([
    { before: target, after: withoutEntry(target, entry.startId) },
    { before: earlier, after: note },
    ...(id === undefined ? [] : [{ before: id, after: { ...id, endedBy } }]),
  ]);
  return written !== 'row-changed';
}

function noteOf({ entry, known }: Begun, shown: RunRead): ConfirmationRow {
  const { campaignRunId, startId, run, campaignId } = entry;
  return {
    ...known,
    pk: ledgerKeys.confirmation(campaignRunId),
    kind: 'confirmation',
    campaignRunId,
    startId,
    run,
    campaignId,
    confirmed: known?.confirmed ?? (hasBegun(shown.status) ? { at: shown.at, by: 'run' } : undefined),
    shown,
    expiresAt: expiryOf('confirmation', new Date(shown.at)),
  };
}

function reportEnd({ entry, startAt }: Begun, shown: RunRead, { reports }: WatchDeps): string {
  const { campaignRunId, run, startId: commandId } = entry;
  const says = `${run}: ${readingSays(shown, Date.parse(shown.at) - startAt.getTime())}`;
  reports.log.info(logEvents.runEnded, `${campaignRunId} of ${says}`, { campaignRunId, run, commandId });
  return says;
}

/** A refused read of a run whose start the gateway has taken says that it has no such operation, if no run can be read. */
async function noteMissing(
  answers: ReadonlyMap<Begun, RunRead | number | undefined>,
  before: Stored<RunReadingsRow> | undefined,
  { ledger, now }: WatchDeps,
): Promise<void> {
  const isAnswered = [...answers.values()].some((answer) => typeof answer === 'object');
  const refused = [...answers].find(
    ([{ start }, answer]) => typeof answer === 'number' && start?.request !== undefined,
  );
  const status = refused?.[1];
  if (isAnswered || typeof status !== 'number') return;
  const row = { pk: ledgerKeys.runReadings(), kind: 'run-readings', missingAt: now().toISOString(), status } as const;
  await ledger.write<RunReadingsRow>(before, row);
}
