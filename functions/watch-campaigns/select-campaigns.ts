import type { AwaitedStart } from './awaited-starts.ts';
import type { CampaignLook } from './notice-starts.ts';

/** A campaign to be read, and who waits for it. */
export interface CampaignToRead {
  readonly campaignId: string;
  readonly awaited: readonly AwaitedStart[];
  /** Absent where the campaign is not configured any more. */
  readonly look?: CampaignLook;
}

/** How often a campaign is read that nobody waits for: a start by hand is noticed this late, and a minute for the second look. */
const lookEveryMs = 5 * 60_000;

/**
 * The campaigns that a tick reads, once each: those with a start whose sign may still come, those that were found to read differently, those
 * whose last look is some minutes old. What waited longest comes first. Pure.
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
      return { campaignId, awaited: its, ...(look === undefined ? {} : { look }) };
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
