import type { Ledger } from '#shared/ledger/ledger.ts';
import type { CampaignReading, ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { isInDoubt } from '#shared/ledger/rows/target-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { type BegunRun, withSeen, writeSeen } from './begun-runs.ts';
import type { WatchDeps } from '../_watch/watch-tick.ts';

/** A start in flight whose campaign has not shown it yet. */
export interface AwaitedStart extends BegunRun {
  readonly campaignId: string;
  /** Its sign is missing from then on. */
  readonly until: Date;
}

/** Those of the runs that have begun whose campaign is to show them. A run that is being stopped is waited for no more. */
export function awaitedIn(begun: readonly BegunRun[]): readonly AwaitedStart[] {
  return begun.flatMap((run): readonly AwaitedStart[] => {
    const { entry, noted, startAt } = run;
    const { campaignId, confirmWithin, state, stoppedAt } = entry;
    const withinMs = durationMs(confirmWithin ?? '');
    const mayShow = stoppedAt === undefined && (state === 'running' || isInDoubt(entry));
    if (!mayShow || campaignId === undefined || withinMs === undefined || noted?.confirmed !== undefined) return [];
    return [{ ...run, campaignId, until: new Date(startAt.getTime() + withinMs) }];
  });
}

/** Whether a start was reported as missing. */
export function isMissing({ noted }: AwaitedStart): boolean {
  return noted?.missingSince !== undefined;
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
  const isNewlyMissing = by === undefined && !isMissing(start) && new Date(read.at) >= start.until;
  // The event first: a tick that dies after it sends it once more, under the same id.
  if (isNewlyMissing) await publishMissing(start, read, deps);
  const isNews = await noteSign(start, read, { by, isNewlyMissing }, deps.ledger);
  if (isNews && by !== undefined) reportConfirmed(start, by, deps);
  if (isNews && isNewlyMissing) reportMissing(start, deps);
  return by === undefined && (isMissing(start) || isNewlyMissing);
}

type Sign = 'lastRun' | 'lastRunAt' | undefined;

/** Writes what is new. @returns whether there was anything, and no other tick wrote it */
async function noteSign(
  start: AwaitedStart,
  read: ReadCampaign,
  { by, isNewlyMissing }: { readonly by: Sign; readonly isNewlyMissing: boolean },
  ledger: ConfirmDeps['ledger'],
): Promise<boolean> {
  const { at } = read;
  const { noted } = start;
  const others = await lastRunOfOthers(read, noted, ledger);
  if (by === undefined && !isNewlyMissing && others.lastRun === noted?.lastRun) return false;
  const missingSince = isNewlyMissing ? at : noted?.missingSince;
  const after = withSeen(start, { confirmed: by && { at, by }, missingSince, ...others }, at);
  return writeSeen(start, { after, at, isMissing: isNewlyMissing }, ledger);
}

/** A campaign's clock, and the minute to which it may cut its times. */
const toleranceMs = 2 * 60_000;

/** By what the campaign shows a start: as its last run, or by a last run that began at the start's `startAt` or later. Pure. */
function signOf({ entry, startAt }: AwaitedStart, { lastRun, lastRunAt }: CampaignReading): Sign {
  if (lastRun === entry.campaignRunId) return 'lastRun';
  const isLater = lastRunAt !== undefined && Date.parse(lastRunAt) >= startAt.getTime() - toleranceMs;
  return isLater ? 'lastRunAt' : undefined;
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

function reportConfirmed(start: AwaitedStart, by: Sign, { reports }: ConfirmDeps): void {
  const { entry, campaignId } = start;
  const late = isMissing(start) ? ', late' : '';
  const sentence = `campaign ${campaignId} shows the start of ${entry.campaignRunId} by ${by}${late}`;
  reports.log.info(logEvents.startConfirmed, sentence, fieldsOf(start));
}

function fieldsOf({ entry, campaignId }: AwaitedStart) {
  const { campaignRunId, run, startId: commandId } = entry;
  return { campaignRunId, run, commandId, campaignId };
}
