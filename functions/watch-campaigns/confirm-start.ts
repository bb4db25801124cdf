import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import type { CampaignReading, ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type FindingRow, withFinding } from '#shared/ledger/results/finding-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, isInDoubt } from '#shared/ledger/rows/target-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { writeConfirmation } from './note-end.ts';
import type { WatchDeps } from '../_watch/watch-tick.ts';

/** A start in flight whose campaign has not shown it yet. */
export interface AwaitedStart {
  readonly entry: InFlight;
  readonly campaignId: string;
  readonly startAt: Date;
  /** Its sign is missing from then on. */
  readonly until: Date;
  /** The row of its run id; of an earlier start that was not applied if the `startId` differs. */
  readonly known: Stored<ConfirmationRow> | undefined;
  /** It was reported as missing. */
  readonly isMissing: boolean;
  /** The finding that no start of its name was seen. */
  readonly unseen: Stored<FindingRow> | undefined;
}

/** The starts in flight that are past their `startAt` and whose campaign is to show them. A run that is being stopped is waited for no more. */
export async function readAwaitedStarts(
  entries: readonly InFlight[],
  { ledger, now }: Pick<WatchDeps, 'ledger' | 'now'>,
): Promise<readonly AwaitedStart[]> {
  const waiting = entries.filter((entry) => entry.state === 'running' || isInDoubt(entry));
  if (waiting.length === 0) return [];
  const keys = waiting.flatMap(({ campaignRunId, startId, run }) => [
    ledgerKeys.confirmation(campaignRunId),
    ledgerKeys.command(startId),
    ledgerKeys.finding(run, 'RUN_UNSEEN'),
  ]);
  const rows = await ledger.readMany([...new Set(keys)]);
  return waiting.flatMap((entry): readonly AwaitedStart[] => {
    const { campaignId, campaignRunId, startId, due, confirmWithin } = entry;
    const withinMs = durationMs(confirmWithin ?? '');
    const startAt = new Date(rowAt<CommandRow>(rows, ledgerKeys.command(startId))?.startAt ?? due);
    const known = rowAt<ConfirmationRow>(rows, ledgerKeys.confirmation(campaignRunId));
    const own = known?.startId === startId ? known : undefined;
    if (campaignId === undefined || withinMs === undefined || own?.confirmed !== undefined || startAt > now())
      return [];
    const until = new Date(startAt.getTime() + withinMs);
    const unseen = rowAt<FindingRow>(rows, ledgerKeys.finding(entry.run, 'RUN_UNSEEN'));
    return [{ entry, campaignId, startAt, until, known, isMissing: own?.missingSince !== undefined, unseen }];
  });
}

/** A campaign as it reads now. */
interface ReadCampaign {
  /** Just before it was asked for. */
  readonly at: string;
  readonly reading: CampaignReading;
}

type ConfirmDeps = Pick<WatchDeps, 'ledger' | 'bus' | 'reports'>;

/**
 * Notes what a reading of its campaign says about a start: it is shown, it may still come, or it is missing after its time. That decides nothing about
 * the run.
 * @returns whether it is missing
 */
export async function confirmStart(start: AwaitedStart, read: ReadCampaign, deps: ConfirmDeps): Promise<boolean> {
  const by = signOf(start, read.reading);
  const isNewlyMissing = by === undefined && !start.isMissing && new Date(read.at) >= start.until;
  // The event first: a tick that dies after it sends it once more, under the same id.
  if (isNewlyMissing) await publishMissing(start, read, deps);
  const next = await confirmationOf(start, read, { by, isNewlyMissing }, deps.ledger);
  const came = isNewlyMissing ? foundUnseen(start, read) : undefined;
  const { known: before, unseen } = start;
  const about = { unseen, startAt: start.startAt.toISOString(), came };
  if (next !== undefined && (await writeConfirmation({ before, after: next }, about, deps.ledger))) {
    if (by !== undefined) reportConfirmed(start, by, deps);
    if (isNewlyMissing) reportMissing(start, deps);
  }
  return by === undefined && (start.isMissing || isNewlyMissing);
}

/** The finding that nothing shows this start. */
function foundUnseen({ entry, startAt, unseen }: AwaitedStart, { at }: ReadCampaign): FindingRow | undefined {
  const { run, startId, campaignRunId } = entry;
  const start = { startId, campaignRunId, startAt: startAt.toISOString(), at };
  return withFinding(unseen, { run, finding: 'RUN_UNSEEN' }, start);
}

/** A campaign's clock, and the minute to which it may cut its times. */
const toleranceMs = 2 * 60_000;

/** By what the campaign shows a start: as its last run, or by a last run that began at the start's `startAt` or later. Pure. */
function signOf(
  { entry, startAt }: AwaitedStart,
  { lastRun, lastRunAt }: CampaignReading,
): 'lastRun' | 'lastRunAt' | undefined {
  if (lastRun === entry.campaignRunId) return 'lastRun';
  const isLater = lastRunAt !== undefined && Date.parse(lastRunAt) >= startAt.getTime() - toleranceMs;
  return isLater ? 'lastRunAt' : undefined;
}

/** The row as it is to be; `undefined` if it says nothing new. */
async function confirmationOf(
  { entry, campaignId, known, isMissing }: AwaitedStart,
  read: ReadCampaign,
  found: { readonly by: 'lastRun' | 'lastRunAt' | undefined; readonly isNewlyMissing: boolean },
  ledger: Pick<Ledger, 'read' | 'write'>,
): Promise<ConfirmationRow | undefined> {
  const { at } = read;
  const { campaignRunId, startId, run } = entry;
  const { by, isNewlyMissing } = found;
  const own = known?.startId === startId ? known : undefined;
  const others = await lastRunOfOthers(read, own, ledger);
  if (by === undefined && !isNewlyMissing && others.lastRun === own?.lastRun) return undefined;
  return {
    ...own,
    pk: ledgerKeys.confirmation(campaignRunId),
    kind: 'confirmation',
    campaignRunId,
    startId,
    run,
    campaignId,
    confirmed: by && { at, by },
    missingSince: isMissing ? own?.missingSince : isNewlyMissing ? at : undefined,
    ...others,
    expiresAt: expiryOf('confirmation', new Date(at)),
  };
}

/** The last run of the campaign, if no start of this stage used its id. A pool may hold the id: a run runs once, so no start takes it any more. */
async function lastRunOfOthers(
  { at, reading: { lastRun, lastRunAt } }: ReadCampaign,
  known: ConfirmationRow | undefined,
  ledger: Pick<Ledger, 'read' | 'write'>,
): Promise<Pick<ConfirmationRow, 'lastRun' | 'lastRunAt'>> {
  if (lastRun === undefined || lastRun === known?.lastRun)
    return { lastRun: known?.lastRun, lastRunAt: known?.lastRunAt };
  const pk = ledgerKeys.runId(lastRun);
  const row = await ledger.read<IdRow>(pk);
  if (row?.startId !== undefined) return { lastRun: undefined, lastRunAt: undefined };
  const begun: IdRow = { ...row, pk, kind: 'run-id', campaignRunId: lastRun, begunElsewhere: at };
  if (row?.begunElsewhere === undefined) await ledger.write<IdRow>(row, begun);
  return { lastRun, lastRunAt };
}

async function publishMissing(
  start: AwaitedStart,
  { at, reading: { lastRun, lastRunAt } }: ReadCampaign,
  { bus }: ConfirmDeps,
): Promise<void> {
  const fields = fieldsOf(start);
  const [startAt, until] = [start.startAt.toISOString(), start.until.toISOString()];
  const says = { ...fields, startAt, lastRun, lastRunAt, until, at, detail: missingDetail(start) };
  await bus.publish(eventTypes.campaignStartUnconfirmed, { eventId: `unconfirmed:${fields.commandId}`, ...says });
}

function missingDetail({ entry }: Pick<AwaitedStart, 'entry'>): string {
  const { run } = entry;
  const said = isInDoubt(entry) ? `the start of ${run} has no answer yet` : `the gateway accepted the start of ${run}`;
  return `${said}, and its campaign does not show it`;
}

function reportMissing(start: AwaitedStart, { reports }: ConfirmDeps): void {
  reports.count(metricNames.startsUnconfirmed, 1);
  reports.log.warn(logEvents.startUnconfirmed, missingDetail(start), fieldsOf(start));
}

function reportConfirmed(start: AwaitedStart, by: 'lastRun' | 'lastRunAt', { reports }: ConfirmDeps): void {
  const { entry, campaignId, isMissing } = start;
  const sentence = `campaign ${campaignId} shows the start of ${entry.campaignRunId} by ${by}${isMissing ? ', late' : ''}`;
  reports.log.info(logEvents.startConfirmed, sentence, fieldsOf(start));
}

function fieldsOf({ entry, campaignId }: AwaitedStart) {
  const { campaignRunId, run, startId: commandId } = entry;
  return { campaignRunId, run, commandId, campaignId };
}
