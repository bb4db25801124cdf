/** Changes a campaign by hand: its counters, or its configuration, of which the history is kept. */
import type { Context } from 'hono';
import * as z from 'zod';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import { uuidInPath } from '../http/path.ts';
import type { GatewayParts } from '../parts.ts';
import type { Campaign } from '../resources.ts';

const schema = z
  .strictObject({
    attacks: z.array(z.json()),
    createdBy: z.string(),
    description: z.string(),
    lastRun: z.string(),
    lastRunAt: z.string(),
    name: z.string(),
    runCount: z.int().min(0),
    vendored: z.boolean(),
  })
  .partial();

/** Changes the fields that are sent; an unknown id makes a new campaign. */
export async function changeCampaign(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const id = uuidInPath(context, 'id');
  const change = await readJson(context, schema);
  const at = now();
  const known = store.campaigns.get(id);
  const campaign: Campaign = { ...(known ?? newCampaign(id, at.toISOString())), ...change };
  const { attacks, description, name } = campaign;
  store.atomically(() => {
    store.campaigns.put(campaign);
    store.campaignConfigs.record(id, at, { attacks, description, name });
  });
  return context.json(campaign);
}

function newCampaign(id: string, createdAt: string): Campaign {
  return {
    attacks: [],
    createdAt,
    createdBy: 'control',
    description: '',
    id,
    lastRun: '',
    lastRunAt: '',
    name: 'New campaign',
    runCount: 0,
    vendored: false,
  };
}
