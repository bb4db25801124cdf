import type { CampaignReading } from './items.ts';

/** What a campaign as the gateway shows it says about its runs: null and other types are not shown. */
export function readingOf(campaign: { readonly runCount?: unknown; readonly lastRunAt?: unknown }): CampaignReading {
  const { runCount, lastRunAt } = campaign;
  return {
    ...(typeof runCount === 'number' ? { runCount } : {}),
    ...(typeof lastRunAt === 'string' ? { lastRunAt } : {}),
  };
}
