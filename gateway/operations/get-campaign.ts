/** Interface 4.3: a campaign, its counters, and its configuration now or as it was. */
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { uuidInPath } from '../http/path.ts';
import { notFound } from '../http/problem.ts';
import { QueryReader } from '../http/query.ts';
import type { GatewayParts } from '../parts.ts';
import { beforeItExisted } from './get-project.ts';

/** Answers the campaign; `configAt` turns back name, description and attacks, never the counters. */
export function getCampaign(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const id = uuidInPath(context, 'campaignId');
  const query = new QueryReader(context.req.url);
  const configAt = query.instant('configAt');
  query.finish();

  const campaign = store.campaigns.get(id);
  if (campaign === undefined) throw notFound('campaign');
  if (configAt === undefined) return context.json({ campaign });
  const config = store.campaignConfigs.at(id, configAt);
  if (config === undefined) throw beforeItExisted(campaign.createdAt);
  return context.json({ campaign: { ...campaign, ...config } });
}
