import { lastShown } from '#shared/ledger/campaign-reading.ts';
import type { WatchedCampaign } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignLookRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { WatchDeps } from './deps.ts';
import {
  explainMove,
  type IsOfCampaign,
  isOfCampaign,
  type MoveExplained,
  type OwnStarts,
  startsEndedSince,
  startsInFlight,
} from './explain-move.ts';
import type { CampaignRead } from './read-campaign.ts';

type NoticeDeps = Pick<WatchDeps, 'ledger' | 'bus' | 'reports' | 'config'>;

/** A campaign, and what the last look at it saw. */
export interface CampaignLook {
  readonly campaign: WatchedCampaign;
  readonly row: Stored<CampaignLookRow> | undefined;
}

/** Rows of the index come late by less. A tick comes every minute, so the next one decides. */
const suspectedForMs = 45_000;

/**
 * Compares a reading with the last one and with the starts that we made: has somebody else started this campaign? The first look is a
 * baseline. A move without a reason is looked at once more before it is reported, and until then the last look stands.
 * @returns how many starts were reported
 */
export async function noticeStarts(
  { campaign, row }: CampaignLook,
  read: CampaignRead,
  runs: readonly RunRow[],
  deps: NoticeDeps,
): Promise<number> {
  const isOurs = isOfCampaign(campaign, deps.config.campaigns);
  const inFlight = startsOfMode(deps, startsInFlight(runs, isOurs));
  if (row === undefined) {
    await deps.ledger.write<CampaignLookRow>(undefined, lookOf(read, {}, inFlight));
    return 0;
  }
  const move = await explain(row, read, { inFlight, isOurs }, deps);
  if (move.elsewhere > 0 && !(await isToBeReported({ campaign, row }, read, deps))) return 0;
  if (move.elsewhere > 0) await report({ campaign, row }, read, move, deps);
  await deps.ledger.write<CampaignLookRow>(row, lookOf(read, row.reading, move.ours));
  return move.elsewhere;
}

/** By the runs in flight; where those are not enough, by what was ended meanwhile as well, read after the campaign was. */
async function explain(
  row: CampaignLookRow,
  read: CampaignRead,
  { inFlight, isOurs }: { readonly inFlight: OwnStarts; readonly isOurs: IsOfCampaign },
  deps: NoticeDeps,
): Promise<MoveExplained> {
  const move = explainMove(row.reading, read.reading, stillShowing({ ...inFlight, ...row.ours }, row.at));
  if (move.elsewhere === 0) return move;
  const now = startsInFlight(await readOpenRuns(deps.ledger), isOurs);
  const ended = await startsEndedSince(row.at, isOurs, deps.ledger);
  const ours = { ...startsOfMode(deps, { ...ended, ...now }), ...row.ours };
  return explainMove(row.reading, read.reading, stillShowing(ours, row.at));
}

/** What a stage that observes would have started was not started: it explains nothing. */
function startsOfMode({ config }: NoticeDeps, starts: OwnStarts): OwnStarts {
  return config.mode === 'observe' ? {} : starts;
}

function stillShowing(ours: OwnStarts, at: string): OwnStarts {
  return Object.fromEntries(Object.entries(ours).filter(([, { until }]) => Date.parse(until) >= Date.parse(at)));
}

/** At the second look, not at the first. */
async function isToBeReported({ campaign, row }: Known, read: CampaignRead, deps: NoticeDeps): Promise<boolean> {
  if (row.suspectedAt !== undefined) {
    return Date.parse(read.at) - Date.parse(row.suspectedAt) >= suspectedForMs;
  }
  await deps.ledger.write<CampaignLookRow>(row, { ...row, suspectedAt: read.at });
  deps.reports.log.info(
    logEvents.campaignMoved,
    `${campaign.names.join(', ')} reads differently, and no start of ours says why: looked at again in a minute`,
    { campaignId: campaign.campaignId, before: row.reading, after: read.reading },
  );
  return false;
}

type Known = CampaignLook & { readonly row: Stored<CampaignLookRow> };

/** The event first: a tick that dies after it sends it once more, under the same id. */
async function report(
  { campaign, row }: Known,
  { at, reading, lastRun }: CampaignRead,
  { elsewhere }: MoveExplained,
  { bus, reports }: NoticeDeps,
): Promise<void> {
  const { campaignId, names } = campaign;
  const facts = {
    campaignId,
    campaigns: names,
    starts: elsewhere,
    from: row.at,
    to: at,
    before: row.reading,
    after: reading,
    ...(lastRun === undefined ? {} : { lastRun }),
  };
  await bus.publish(eventTypes.campaignStartedElsewhere, {
    eventId: `started-elsewhere:${campaignId}@${row.suspectedAt ?? at}`,
    ...facts,
  });
  reports.count(metricNames.startsElsewhere, elsewhere);
  reports.log.warn(
    logEvents.campaignStartedElsewhere,
    `${names.join(', ')} was started, and by nobody here (${elsewhere} since ${row.at})`,
    facts,
  );
}

/**
 * A field that the gateway does not show this time keeps its last value. A start that the gateway did not accept is found anew while it is in
 * doubt: one that was proven not to have begun accounts for nothing.
 */
function lookOf(read: CampaignRead, before: CampaignLookRow['reading'], ours: OwnStarts): CampaignLookRow {
  const { campaignId, at, reading } = read;
  return {
    pk: ledgerKeys.campaignLook(campaignId),
    kind: 'campaign-look',
    campaignId,
    at,
    reading: lastShown(before, reading),
    ours: Object.fromEntries(
      Object.entries(stillShowing(ours, at)).filter(
        ([, start]) => start.isAccepted === true || start.isCounted === true,
      ),
    ),
  };
}
