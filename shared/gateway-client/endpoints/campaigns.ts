import * as z from 'zod';
import type { Call } from '../call.ts';
import { open, requiredText } from './field-types.ts';
import { instantText, queryString, uuidPathValue } from './input-checks.ts';
import type { CallOptions } from '../options.ts';
import { schemaOf, schemaOfAsked } from './schema.ts';

const campaignType = z.looseObject({
  id: requiredText,
  name: open,
  description: open,
  attacks: open,
  createdAt: open,
  createdBy: open,
  lastRun: open,
  lastRunAt: open,
  runCount: open,
  vendored: open,
});
const responseType = z.looseObject({ campaign: campaignType });
const schema = schemaOf(responseType);

/** A campaign (interface.md 2.4). */
export type Campaign = z.output<typeof campaignType>;
/** The answer to `getCampaign`. */
export type GetCampaignResponse = z.output<typeof responseType>;

/** Which campaign, and its configuration of when. */
export interface GetCampaignInput extends CallOptions {
  readonly campaignId: string;
  /** An instant with Z or an offset; sent as given. */
  readonly configAt?: string | undefined;
}

/** Reads a campaign. An answer about another campaign is a `BadBodyError`: its counters would settle a start that they say nothing about. */
export async function getCampaign(call: Call, input: GetCampaignInput): Promise<GetCampaignResponse> {
  const configAt = input.configAt === undefined ? undefined : instantText('configAt', input.configAt);
  return call({
    operation: 'getCampaign',
    verb: 'get',
    pathTemplate: '/backend/v1/campaigns/{campaignId}',
    path: `/backend/v1/campaigns/${uuidPathValue('campaignId', input.campaignId)}${queryString({ configAt })}`,
    schema: schemaOfAsked(schema, input.campaignId, {
      field: 'campaign.id',
      namesOf: ({ campaign }) => [campaign.id],
    }),
    namesResource: true,
    options: input,
  });
}
