/** Campaign runs as the interface cannot show them: all of them, with every change that was accepted. */
import type { Context } from 'hono';
import * as z from 'zod';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import { isUuid, uuidInPath } from '../http/path.ts';
import { HttpProblem, invalid } from '../http/problem.ts';
import { campaignRunFields } from '../operations/campaign-run-change.ts';
import type { GatewayParts } from '../parts.ts';
import type { CampaignRun } from '../resources.ts';

/** All runs with their transitions, oldest first. */
export function listCampaignRuns(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const runs = store.campaignRuns;
  const campaignRuns = runs.table.all().map((run) => ({ ...run, transitions: runs.transitions(run.id) }));
  return context.json({ campaignRuns });
}

/** Changes a run by hand, as somebody else at the gateway would; an unknown id makes a new run of the named campaign. */
export async function changeCampaignRun(
  context: Context<GatewayEnvironment>,
  { store, policy, now }: GatewayParts,
): Promise<Response> {
  const id = uuidInPath(context, 'id');
  const campaignId = z.string().refine(isUuid, 'must be a uuid').optional();
  const change = await readJson(context, z.strictObject({ ...campaignRunFields(policy), campaignId }));
  const run = store.campaignRuns.table.get(id) ?? newRun(id, change.campaignId);

  const requestId = context.get('requestId');
  const result = store.campaignRuns.change(run, change, { at: now(), requestId, by: 'control', body: change });
  if ('refused' in result) throw new HttpProblem(409, `the campaign run is already ${result.refused.status}`);
  return context.json({ ...result.run, transitions: store.campaignRuns.transitions(id) });
}

function newRun(id: string, campaignId: string | undefined): CampaignRun {
  if (campaignId === undefined) throw invalid(['body', 'campaignId'], 'a new run needs its campaignId', 'missing');
  return { id, campaignId, name: 'new run', status: 'pending', preserve: 'false', startAt: '' };
}
