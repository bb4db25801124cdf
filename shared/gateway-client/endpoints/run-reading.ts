import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { open, requiredText, schemaOf } from './schema.ts';

const runType = z.looseObject({
  id: requiredText,
  campaignId: open,
  status: open,
  startAt: open,
  progress: open,
  total: open,
  CASIScore: open,
  providerErrors: open,
});
const responseType = z.looseObject({ campaignRun: runType });

/** How a campaign run is read. Its readers judge each field by itself, so an odd one hides no other. */
export const runReadingSchema = schemaOf(responseType);

/** A campaign run as the gateway shows it. */
export type CampaignRunShown = z.output<typeof runType>;

/** The answer to `readCampaignRun`. */
export type ReadCampaignRunResponse = z.output<typeof responseType>;

/** Which run. */
export interface ReadCampaignRunInput extends CallOptions {
  readonly campaignRunId: string;
}
