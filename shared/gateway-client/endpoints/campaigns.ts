import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { requiredText } from './schema.ts';

const campaignType = z.looseObject({ id: requiredText });
/** How a campaign is read. */
export const campaignAnswer = z.looseObject({ campaign: campaignType });

/** A campaign, by section 2.4 of the interface. */
export type Campaign = z.output<typeof campaignType>;

/** Which campaign, and optionally the instant of the configuration. */
export interface GetCampaignInput extends CallOptions {
  readonly campaignId: string;
  /** An instant with Z or an offset; sent as given. */
  readonly configAt?: string | undefined;
}

/** How the answer to a change of a run is read. */
export const changedRunAnswer = z.looseObject({ message: z.string() });

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

// A field of another type is absent: it hides no other one.
const count = z.int().nonnegative().optional().catch(undefined);
const text = z.string().optional().catch(undefined);
const providerType = z.looseObject({
  providerName: text,
  errorCount: count,
  totalPrompts: count,
  providerFailed: z.boolean().optional().catch(undefined),
});
const runType = z.looseObject({
  id: requiredText,
  campaignId: text,
  startAt: text,
  progress: count,
  total: count,
  CASIScore: z.number().optional().catch(undefined),
  providerErrors: z.record(z.string(), providerType).optional().catch(undefined),
});
/** How a campaign run is read. */
export const runAnswer = z.looseObject({ campaignRun: runType });

/** A campaign run as the gateway shows it. */
export type CampaignRunShown = z.output<typeof runType>;

/** Which run. */
export interface ReadCampaignRunInput extends CallOptions {
  readonly campaignRunId: string;
}
