import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { requiredText, schemaOf } from './schema.ts';

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
const responseType = z.looseObject({ campaignRun: runType });

/** How a campaign run is read. */
export const runReadingSchema = schemaOf(responseType);

/** A campaign run as the gateway shows it. */
export type CampaignRunShown = z.output<typeof runType>;

/** The answer to `readCampaignRun`. */
export type ReadCampaignRunResponse = z.output<typeof responseType>;

/** Which run. */
export interface ReadCampaignRunInput extends CallOptions {
  readonly campaignRunId: string;
}
