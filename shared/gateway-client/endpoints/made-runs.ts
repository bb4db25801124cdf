/** Runs made and listed, outside of the interface: how both are asked and read. */
import * as z from 'zod';
import type { CallOptions } from '../options.ts';
import { requiredText, text } from './schema.ts';

/** A schedule of one run that is to be made. */
export interface MakeRunInput extends CallOptions {
  readonly name: string;
  readonly campaignId: string;
  readonly providerIds: readonly string[];
  /** An instant with Z or an offset; sent in UTC. */
  readonly startAt: string;
}

/** Which scheduled runs to list, a page at a time. */
export interface ListRunsInput extends CallOptions {
  /** Whether this gateway takes it for the whole name or for a part is not known. */
  readonly name: string;
  readonly cursor?: string | undefined;
}

/** The gateway's clock; absent if its answer has no usable one. */
const date = z.date().optional();

/** How the answer to a new schedule is read. */
export const madeRunAnswer = z.looseObject({ campaignRunId: requiredText, date });

/** How a page of runs is read. */
export const runsAnswer = z.looseObject({
  campaignRuns: z.array(z.looseObject({ id: requiredText, name: text, status: text, startAt: text })),
  next: text,
  date,
});
