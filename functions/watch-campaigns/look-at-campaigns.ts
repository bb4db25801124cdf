import type { WatchedCampaign } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignLookRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { type AwaitedStart, confirmStart, readAwaitedStarts } from './confirm-start.ts';
import { afterwards, doEach, readCampaign, type WatchDeps } from './watched-campaign.ts';
import { type CampaignLook, noticeStarts } from './notice-starts.ts';

/** What a tick saw of the campaigns. */
export interface CampaignsLooked {
  /** Runs whose start is not confirmed though its time is over. */
  readonly unconfirmed: readonly string[];
  /** Campaigns that were started, but not by this stage, as reported now. */
  readonly elsewhere: readonly string[];
  /** Campaigns that were to be read and were not: the gate, the time, or the gateway's answer. */
  readonly unread: number;
}

/** Reads each campaign that a start waits for: has a start of ours taken place, and has another user of the gateway started it? */
export async function lookAtCampaigns(deps: WatchDeps): Promise<CampaignsLooked> {
  const runs = await readOpenRuns(deps.ledger);
  const awaited = await readAwaitedStarts(runs, deps.now(), deps.ledger);
  const looks = await readLooks(deps);
  const toRead = selectCampaigns(awaited, looks, deps.now());

  const unconfirmed = new Set(awaited.filter(({ isMissing }) => isMissing).map(titleOf));
  const elsewhere: string[] = [];
  let unread = toRead.length;
  await doEach(toRead, async (one) => {
    if (!(await mayRead(deps))) return;
    const seen = await lookAt(one, runs, deps);
    if (seen === undefined) return;
    unread -= 1;
    for (const [start, isMissing] of seen.confirmed) unconfirmed[isMissing ? 'add' : 'delete'](titleOf(start));
    if (seen.elsewhere > 0) elsewhere.push(...(one.look?.campaign.names ?? []));
  });
  return { unconfirmed: [...unconfirmed], elsewhere, unread };
}

/** One reading, for every start that waits for it. */
async function lookAt(
  { campaignId, awaited, look }: CampaignToRead,
  runs: readonly RunRow[],
  deps: WatchDeps,
): Promise<{ readonly confirmed: ReadonlyMap<AwaitedStart, boolean>; readonly elsewhere: number } | undefined> {
  const read = await readCampaign(campaignId, deps);
  if (read === undefined) return undefined;
  const confirmed = new Map<AwaitedStart, boolean>();
  const confirming = doEach(awaited, async (start) => {
    confirmed.set(start, await confirmStart(start, read, deps));
  });
  const elsewhere = await afterwards(confirming, async () =>
    look === undefined ? 0 : noticeStarts(look, read, runs, deps),
  );
  await confirming;
  return { confirmed, elsewhere };
}

/** Neither past a closed gate nor into the end of this function's time: the next tick begins with what waited longest. */
async function mayRead({ gate, rateLimiter, remainingMs, callBudgetMs }: WatchDeps): Promise<boolean> {
  return (await gate.waitMs(remainingMs)) === 0 && remainingMs() - rateLimiter.waitMs('reads') >= callBudgetMs;
}

async function readLooks({ ledger, config }: WatchDeps): Promise<readonly CampaignLook[]> {
  const readLook = async (campaign: WatchedCampaign) => ({
    campaign,
    row: await ledger.read<CampaignLookRow>(ledgerKeys.campaignLook(campaign.campaignId)),
  });
  return Promise.all(config.campaigns.map(readLook));
}

function titleOf({ row }: AwaitedStart): string {
  return row.run ?? row.campaignRunId;
}

/** A campaign to be read, and who waits for it. */
export interface CampaignToRead {
  readonly campaignId: string;
  readonly awaited: readonly AwaitedStart[];
  /** Absent if the campaign is not configured any more. */
  readonly look?: CampaignLook;
}

/**
 * How often a campaign is read without a start that waits for it. A start by hand is noticed this
 * late, and a minute later for the second look.
 */
const lookEveryMs = 5 * 60_000;

/**
 * The campaigns that a tick reads, once each. These are those with a start whose sign may still
 * come, those found to have changed, those whose last look is some minutes old. What waited longest
 * comes first. Pure.
 */
export function selectCampaigns(
  awaited: readonly AwaitedStart[],
  looks: readonly CampaignLook[],
  now: Date,
): readonly CampaignToRead[] {
  const ids = new Set([
    ...awaited.map((start) => start.awaited.campaignId),
    ...looks.map((look) => look.campaign.campaignId),
  ]);
  return [...ids]
    .map((campaignId): CampaignToRead => {
      const look = looks.find(({ campaign }) => campaign.campaignId === campaignId);
      const its = awaited.filter((start) => start.awaited.campaignId === campaignId);
      return { campaignId, awaited: its, look };
    })
    .filter((one) => isWaitedFor(one) || isLookDue(one, now))
    .toSorted((a, b) => lookedAt(a).localeCompare(lookedAt(b)));
}

function isWaitedFor({ awaited, look }: CampaignToRead): boolean {
  return look?.row?.suspectedAt !== undefined || awaited.some(({ isMissing }) => !isMissing);
}

function isLookDue({ look }: CampaignToRead, now: Date): boolean {
  if (look === undefined) return false;
  return look.row === undefined || now.getTime() - Date.parse(look.row.at) >= lookEveryMs;
}

function lookedAt({ look }: CampaignToRead): string {
  return look?.row?.at ?? '';
}
