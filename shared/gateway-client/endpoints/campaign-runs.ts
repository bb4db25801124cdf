import * as z from 'zod';
import type { Call } from '../call.ts';
import { InvalidInputError } from '../failures/errors.ts';
import { utcInstantText, uuidPathValue } from './input-checks.ts';
import type { CallOptions } from '../options.ts';
import { schemaOf } from './schema.ts';

const responseType = z.looseObject({ message: z.string() });
const schema = schemaOf(responseType);

/** The answer to `updateCampaignRun`. */
export type UpdateCampaignRunResponse = z.output<typeof responseType>;

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
    schema,
    namesResource: true,
    options: input,
  });
}
