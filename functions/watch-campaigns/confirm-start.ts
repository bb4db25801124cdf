import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { expiryOf } from '#shared/ledger/rows/row-expiry.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { type AwaitedStart, settleStart, signOf } from './awaited-starts.ts';
import type { WatchDeps } from './deps.ts';
import type { CampaignRead } from './read-campaign.ts';

type ConfirmDeps = Pick<WatchDeps, 'ledger' | 'bus' | 'reports' | 'config' | 'now'>;

/**
 * What a reading of its campaign says about a start: the sign is there, it is missing now that its time is over, or it may still come. A sign that
 * proves that a start without an answer began settles that start.
 * @returns whether it is missing
 */
export async function confirmStart(start: AwaitedStart, read: CampaignRead, deps: ConfirmDeps): Promise<boolean> {
  const sign = signOf(start.awaited, start.start.reading, read.reading);
  if (sign !== undefined) {
    if ((await settleStart(start, read, deps)) === 'done') await noteConfirmed(start, read, sign, deps);
    return false;
  }
  if (start.isMissing) return true;
  if (Date.parse(read.at) < Date.parse(start.awaited.until)) return false;
  await reportMissing(start, read, deps);
  return true;
}

async function noteConfirmed(
  start: AwaitedStart,
  { at }: CampaignRead,
  reads: number | string,
  { ledger, reports }: ConfirmDeps,
): Promise<void> {
  const { row, awaited, known, isMissing } = start;
  const { by, before, commandId, campaignId } = awaited;
  const confirmed = { ...confirmationOf(start, at), confirmed: { at, reads } };
  const since = isMissing ? { missingSince: known?.missingSince } : {};
  if ((await ledger.write<ConfirmationRow>(known, { ...confirmed, ...since })) === undefined) return;
  const change = `${by} of campaign ${campaignId} was ${before ?? 'not shown'} and is ${reads}`;
  reports.log.info(
    logEvents.startConfirmed,
    `the start of ${row.campaignRunId} is confirmed${isMissing ? ' after all' : ''}: ${change}`,
    { campaignRunId: row.campaignRunId, commandId, campaignId },
  );
}

/** The event first: a tick that dies after it sends it once more, under the same id. */
async function reportMissing(
  start: AwaitedStart,
  { at, reading }: CampaignRead,
  { ledger, bus, reports }: ConfirmDeps,
): Promise<void> {
  const { row, awaited, known } = start;
  const { campaignRunId, run } = row;
  const { commandId, campaignId, by, before, until } = awaited;
  const detail = `${saidOf(start)}, and ${unseenOf(start)}`;
  const facts = { campaignRunId, ...(run === undefined ? {} : { run }), commandId, campaignId };
  await bus.publish(eventTypes.campaignStartUnconfirmed, {
    eventId: `unconfirmed:${commandId}:${campaignRunId}@${until}`,
    ...facts,
    by,
    ...(before === undefined ? {} : { before }),
    ...(reading[by] === undefined ? {} : { reads: reading[by] }),
    until,
    at,
    detail,
  });
  const written = await ledger.write<ConfirmationRow>(known, { ...confirmationOf(start, at), missingSince: at });
  if (written === undefined) return;
  reports.count(metricNames.startsUnconfirmed, 1);
  reports.log.warn(logEvents.startUnconfirmed, detail, facts);
}

/** What is known of a start beside its sign. */
function saidOf({ row }: AwaitedStart): string {
  const name = `${row.run ?? 'run'} (${row.campaignRunId})`;
  const isAccepted = row.state === 'running' || ('before' in row && row.before.state === 'running');
  return isAccepted ? `the gateway accepted the start of ${name}` : `the start of ${name} was sent and never answered`;
}

function unseenOf({ start, awaited: { by, until, campaignId } }: AwaitedStart): string {
  if (start.reading === undefined)
    return `campaign ${campaignId} could not be read before it, so ${by} can show nothing`;
  return `by ${until} ${by} of campaign ${campaignId} did not show it`;
}

function confirmationOf({ row, awaited }: AwaitedStart, at: string): ConfirmationRow {
  const { campaignRunId } = row;
  const { commandId } = awaited;
  return {
    pk: ledgerKeys.confirmation({ campaignRunId, commandId }),
    kind: 'confirmation',
    campaignRunId,
    awaited,
    expiresAt: expiryOf('confirmation', new Date(at)),
  };
}
