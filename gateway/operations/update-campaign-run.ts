/** Interface 4.5: changes a campaign run's name, retention, start time and status. */
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import { uuidInPath } from '../http/path.ts';
import { HttpProblem, notFound } from '../http/problem.ts';
import type { GatewayParts } from '../parts.ts';
import { campaignRunChangeSchema } from './campaign-run-change.ts';

/** The operation; built once, because its schema depends on the status words that the gateway was told. */
export function updateCampaignRun({ store, policy, now }: GatewayParts) {
  const schema = campaignRunChangeSchema(policy);
  return async (context: Context<GatewayEnvironment>): Promise<Response> => {
    const id = uuidInPath(context, 'campaignRunId');
    const change = await readJson(context, schema);
    const run = store.campaignRuns.table.get(id);
    if (run === undefined) throw notFound('campaign run');

    const requestId = context.get('requestId');
    const result = store.campaignRuns.change(run, change, { at: now(), requestId, by: 'api', body: change });
    if ('refused' in result) {
      throw new HttpProblem(409, `the campaign run is already ${result.refused.status} and cannot start again`);
    }
    return context.json({ message: 'Campaign run updated' });
  };
}
