import * as z from 'zod';
import { InvalidInputError } from './failures/errors.ts';
import {
  type CallOptions,
  instantText,
  isEmpty,
  listingBytes,
  gatewayOperation,
  requiredText,
  text,
  utcInstantText,
  uuidPathValue,
} from './operation.ts';
import { cursorText } from './scanner-packages.ts';

const campaignType = z.looseObject({ id: requiredText });

/** A campaign, by section 2.4 of the interface. */
export type Campaign = z.output<typeof campaignType>;

/** Which campaign, and optionally the instant of the configuration. */
export interface GetCampaignInput extends CallOptions {
  readonly campaignId: string;
  /** An instant with Z or an offset; sent as given. */
  readonly configAt?: string | undefined;
}

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
const anyText = z.string().optional().catch(undefined);
const providerType = z.looseObject({
  providerName: anyText,
  errorCount: count,
  totalPrompts: count,
  providerFailed: z.boolean().optional().catch(undefined),
});
const runType = z.looseObject({
  id: requiredText,
  campaignId: anyText,
  startAt: anyText,
  progress: count,
  total: count,
  CASIScore: z.number().optional().catch(undefined),
  providerErrors: z.record(z.string(), providerType).optional().catch(undefined),
});

/** A campaign run as the gateway shows it. */
export type CampaignRunShown = z.output<typeof runType>;

export interface ReadCampaignRunInput extends CallOptions {
  readonly campaignRunId: string;
}

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

/** A campaign. An answer about another one is a `BadBodyError`: its counters would decide about a start of another campaign. */
export const getCampaign = gatewayOperation({
  name: 'getCampaign',
  verb: 'get',
  path: '/backend/v1/campaigns/{campaignId}',
  ask: ({ campaignId, configAt }: GetCampaignInput) => ({
    value: uuidPathValue('campaignId', campaignId),
    query: { configAt: configAt === undefined ? undefined : instantText('configAt', configAt) },
  }),
  answer: z.looseObject({ campaign: campaignType }),
  about: ({ campaignId: asked }, { campaign }) => ({ field: 'campaign.id', asked, names: [campaign.id] }),
});

export const updateCampaignRun = gatewayOperation({
  name: 'updateCampaignRun',
  verb: 'patch',
  path: '/backend/v1/campaign-runs/{campaignRunId}',
  ask({ campaignRunId, name, preserve, startAt, status }: UpdateCampaignRunInput) {
    const body = {
      name,
      preserve,
      startAt: startAt === undefined ? undefined : utcInstantText('startAt', startAt),
      status,
    };
    const value = uuidPathValue('campaignRunId', campaignRunId);
    if (isEmpty(body)) {
      throw new InvalidInputError(Object.keys(body).join(', '), 'are all absent: there is nothing to change');
    }
    if (status === '') throw new InvalidInputError('status', 'must not be empty');
    return { value, body };
  },
  answer: z.looseObject({ message: z.string() }),
});

// Outside of the interface. A gateway that publishes its own API document has it: `gateway.readsRuns`.

/** A campaign run as it is now. An answer about another run is a `BadBodyError`: its end would free a target that is still attacked. */
export const readCampaignRun = gatewayOperation({
  name: 'readCampaignRun',
  verb: 'get',
  path: '/backend/v1/campaign-runs/{campaignRunId}',
  ask: ({ campaignRunId }: ReadCampaignRunInput) => ({ value: uuidPathValue('campaignRunId', campaignRunId) }),
  answer: z.looseObject({ campaignRun: runType }),
  about: ({ campaignRunId: asked }, { campaignRun }) => ({ field: 'campaignRun.id', asked, names: [campaignRun.id] }),
});

// For a gateway with `gateway.makesRuns`.

/** Makes a schedule of one run. Each POST makes another one: see `classifyFailure` before any repeat. */
export const makeRun = gatewayOperation({
  name: 'makeRun',
  verb: 'post',
  path: '/backend/v1/campaign-schedules',
  ask: ({ name, campaignId, providerIds, startAt }: MakeRunInput) => {
    const one = { frequency: 'days', interval: 1, count: 1 } as const;
    return { body: { name, startAt: utcInstantText('startAt', startAt), campaignId, providerIds, ...one } };
  },
  answer: z.looseObject({ campaignRunId: requiredText, date }),
  isDated: true,
});

/** One page of the scheduled runs of a name. */
export const listRuns = gatewayOperation({
  name: 'listRuns',
  verb: 'get',
  path: '/backend/v1/campaign-runs',
  ask: ({ name, cursor }: ListRunsInput) => ({ query: { limit: 100, status: 'scheduled', name, cursor } }),
  answer: z.looseObject({
    campaignRuns: z.array(z.looseObject({ id: requiredText, name: text, status: text, startAt: text })),
    next: text.transform((next) => cursorText(next)),
    date,
  }),
  maxBytes: listingBytes,
  isDated: true,
});
