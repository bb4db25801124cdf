/** The six operations of the interface, and three outside of it: how each is asked, and how its answer is read. */
import type * as z from 'zod';
import { InvalidInputError } from '../failures/errors.ts';
import type { OperationVerb } from '../failures/verdict.ts';
import type { CallOptions } from '../options.ts';
import {
  campaignAnswer,
  changedRunAnswer,
  type GetCampaignInput,
  type ReadCampaignRunInput,
  runAnswer,
  type UpdateCampaignRunInput,
} from './campaigns.ts';
import { type CreateDatasetInput, datasetAnswer, datasetsPath } from './datasets.ts';
import type { FileForm } from './file-form.ts';
import { type ListRunsInput, madeRunAnswer, type MakeRunInput, runsAnswer } from './made-runs.ts';
import { endpointsAnswer, type GetProjectInput, type ListEndpointsInput, projectAnswer } from './projects.ts';
import { type PageInput, scannerPackagesAnswer } from './scanner-packages.ts';
import { instantText, isUuid, pathValue, type QueryValue, utcInstantText, uuidPathValue } from './schema.ts';

/** An operation of the interface. */
export interface Operation<Input extends CallOptions, Answer> {
  readonly name: string;
  readonly verb: OperationVerb;
  /** With the name of its value; such a path names one resource. */
  readonly path: string;
  /** Checks the input. @throws InvalidInputError */
  readonly ask: (input: Input) => OperationRequest;
  /** How its answer is read. */
  readonly answer: z.ZodType<Answer>;
  /**
   * For an answer about what was asked for: a cache or a fault may answer with another resource.
   */
  readonly about?: (input: Input, answer: Answer) => AnswerSubject | undefined;
  /** The answer has the gateway's clock, as `date`. @default it has not */
  readonly isDated?: true;
  /** The most that is read of its answer. @default 1 MiB */
  readonly maxBytes?: number;
}

/** What an answer has to be about. */
interface AnswerSubject {
  /** For the message. */
  readonly field: string;
  readonly asked: string;
  /** The ids and names by which the answer calls its resource. */
  readonly names: readonly (string | null | undefined)[];
}

/** What one request holds. */
interface OperationRequest {
  /** The value in the path, encoded. */
  readonly value?: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** A body that is made already, in the place of `body`. */
  readonly form?: FileForm | undefined;
}

/** 100 packages with long lists of scanner ids. */
const listingBytes = 4 * 1024 * 1024;

/** The fields of a dataset; a file that goes along has a limit of its own. */
const maxFieldBytes = 32 * 1024;

const optional = (configAt: string | undefined) =>
  configAt === undefined ? undefined : instantText('configAt', configAt);

/** A project with its configuration, now or as it was. */
export const getProject: Operation<GetProjectInput, z.output<typeof projectAnswer>> = {
  name: 'getProject',
  verb: 'get',
  path: '/backend/v1/projects/{project}',
  ask: ({ project, configAt }) => ({
    value: pathValue('project', project),
    query: { configAt: optional(configAt) },
  }),
  answer: projectAnswer,
  // An answer to a uuid must be about that project. How a gateway compares names, the interface does not say.
  about: ({ project: asked }, { project: { id, name, friendlyId } }) =>
    isUuid(asked) ? { field: 'project.id', asked, names: [id, name, friendlyId] } : undefined,
};

/** Endpoints. The interface marks this operation deprecated: it serves to show what still has to migrate. */
export const listEndpoints: Operation<ListEndpointsInput, z.output<typeof endpointsAnswer>> = {
  name: 'listEndpoints',
  verb: 'get',
  path: '/backend/v1/endpoints',
  ask: ({ groupId, chatbotId }) => ({ query: { groupId, chatbotId } }),
  answer: endpointsAnswer,
  maxBytes: listingBytes,
};

/** A campaign. An answer about another one is a `BadBodyError`: its counters would decide about a start of another campaign. */
export const getCampaign: Operation<GetCampaignInput, z.output<typeof campaignAnswer>> = {
  name: 'getCampaign',
  verb: 'get',
  path: '/backend/v1/campaigns/{campaignId}',
  ask: ({ campaignId, configAt }) => ({
    value: uuidPathValue('campaignId', campaignId),
    query: { configAt: optional(configAt) },
  }),
  answer: campaignAnswer,
  about: ({ campaignId: asked }, { campaign }) => ({ field: 'campaign.id', asked, names: [campaign.id] }),
};

/** One page of the scanner packages; `listScannerPackages` walks over all. */
export const listPage: Operation<PageInput, z.output<typeof scannerPackagesAnswer>> = {
  name: 'listScannerPackages',
  verb: 'get',
  path: '/backend/v1/scanner-packages',
  ask: ({ query }) => ({ query }),
  answer: scannerPackagesAnswer,
  maxBytes: listingBytes,
};

/** Changes a campaign run. */
export const updateCampaignRun: Operation<UpdateCampaignRunInput, z.output<typeof changedRunAnswer>> = {
  name: 'updateCampaignRun',
  verb: 'patch',
  path: '/backend/v1/campaign-runs/{campaignRunId}',
  ask({ campaignRunId, name, preserve, startAt, status }) {
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
  answer: changedRunAnswer,
};

/**
 * Creates a dataset, on a connection of its own. Each POST makes another one and none can be read
 * back: see `classifyFailure` before any repeat.
 */
export const createDataset: Operation<CreateDatasetInput, z.output<typeof datasetAnswer>> = {
  name: 'createDataset',
  verb: 'post',
  path: datasetsPath,
  ask({ fileId, name, scannerId, scannerPackageId, scannerVersions, form }) {
    const body = { fileId, name, scannerId, scannerPackageId, scannerVersions };
    if (isEmpty(body)) {
      throw new InvalidInputError(Object.keys(body).join(', '), 'are all absent: there is nothing to create');
    }
    if (Buffer.byteLength(JSON.stringify(body)) > maxFieldBytes) {
      throw new InvalidInputError('the dataset', `is longer than ${maxFieldBytes} bytes of JSON`);
    }
    return { body, form };
  },
  answer: datasetAnswer,
};

// Outside of the interface. A gateway that publishes its own API document has it: `gateway.readsRuns`.

/** A campaign run as it is now. An answer about another run is a `BadBodyError`: its end would free a target that is still attacked. */
export const readCampaignRun: Operation<ReadCampaignRunInput, z.output<typeof runAnswer>> = {
  name: 'readCampaignRun',
  verb: 'get',
  path: '/backend/v1/campaign-runs/{campaignRunId}',
  ask: ({ campaignRunId }) => ({ value: uuidPathValue('campaignRunId', campaignRunId) }),
  answer: runAnswer,
  about: ({ campaignRunId: asked }, { campaignRun }) => ({ field: 'campaignRun.id', asked, names: [campaignRun.id] }),
};

// For a gateway with `gateway.makesRuns`.

/** Makes a schedule of one run. Each POST makes another one: see `classifyFailure` before any repeat. */
export const makeRun: Operation<MakeRunInput, z.output<typeof madeRunAnswer>> = {
  name: 'makeRun',
  verb: 'post',
  path: '/backend/v1/campaign-schedules',
  ask: ({ name, campaignId, providerIds, startAt }) => {
    const one = { frequency: 'days', interval: 1, count: 1 } as const;
    return { body: { name, startAt: utcInstantText('startAt', startAt), campaignId, providerIds, ...one } };
  },
  answer: madeRunAnswer,
  isDated: true,
};

/** One page of the scheduled runs of a name. */
export const listRuns: Operation<ListRunsInput, z.output<typeof runsAnswer>> = {
  name: 'listRuns',
  verb: 'get',
  path: '/backend/v1/campaign-runs',
  ask: ({ name, cursor }) => ({ query: { limit: 100, status: 'scheduled', name, cursor } }),
  answer: runsAnswer,
  maxBytes: listingBytes,
  isDated: true,
};

function isEmpty(body: Readonly<Record<string, unknown>>): boolean {
  return Object.values(body).every((value) => value === undefined);
}
