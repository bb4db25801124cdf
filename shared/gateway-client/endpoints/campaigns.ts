import * as z from 'zod';
import type { Call } from '../call.ts';
import { InvalidInputError } from '../failures/errors.ts';
import type { CallOptions } from '../options.ts';
import {
  instantText,
  open,
  queryString,
  requiredText,
  schemaOf,
  schemaOfAsked,
  utcInstantText,
  uuidPathValue,
} from './schema.ts';

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

/** Which campaign, and optionally the instant of the configuration. */
export interface GetCampaignInput extends CallOptions {
  readonly campaignId: string;
  /** An instant with Z or an offset; sent as given. */
  readonly configAt?: string | undefined;
}

/**
 * Reads a campaign. An answer about another campaign is a `BadBodyError`: its counters would decide
 * about a start of another campaign.
 */
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

const runResponseType = z.looseObject({ message: z.string() });
const runSchema = schemaOf(runResponseType);

/** The answer to `updateCampaignRun`. */
export type UpdateCampaignRunResponse = z.output<typeof runResponseType>;

/** What to change of which run; at least one field. */
export interface UpdateCampaignRunInput extends CallOptions {
  readonly campaignRunId: string;
  readonly name?: string | undefined;
  /** String in the interface, boolean on other resources: sent as given. */
  readonly preserve?: string | boolean | undefined;
  /** An instant with Z or an offset; sent in UTC. */
  readonly startAt?: string | undefined;
  readonly status?: string | undefined;
}

/** Changes a campaign run. */
export async function updateCampaignRun(call: Call, input: UpdateCampaignRunInput): Promise<UpdateCampaignRunResponse> {
  const { name, preserve, status } = input;
  const startAt = input.startAt === undefined ? undefined : utcInstantText('startAt', input.startAt);
  const path = `/backend/v1/campaign-runs/${uuidPathValue('campaignRunId', input.campaignRunId)}`;
  if (name === undefined && preserve === undefined && status === undefined && startAt === undefined) {
    throw new InvalidInputError('name, preserve, startAt, status', 'are all absent: there is nothing to change');
  }
  if (status === '') throw new InvalidInputError('status', 'must not be empty');
  return await call({
    operation: 'updateCampaignRun',
    verb: 'patch',
    pathTemplate: '/backend/v1/campaign-runs/{campaignRunId}',
    path,
    body: { name, preserve, startAt, status },
    schema: runSchema,
    namesResource: true,
    options: input,
  });
}
