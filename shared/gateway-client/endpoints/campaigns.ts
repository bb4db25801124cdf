import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { requiredText, schemaOf } from './schema.ts';

const campaignType = z.looseObject({ id: requiredText });
const responseType = z.looseObject({ campaign: campaignType });
/** How a campaign is read. */
export const campaignSchema = schemaOf(responseType);

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

const runResponseType = z.looseObject({ message: z.string() });
/** How the answer to a change of a run is read. */
export const runSchema = schemaOf(runResponseType);

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
