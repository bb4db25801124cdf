/** The six operations of the interface, and one outside of it: how each is asked, and how its answer is read. */
import { InvalidInputError } from '../failures/errors.ts';
import type { OperationVerb } from '../failures/verdict.ts';
import type { CallOptions } from '../options.ts';
import {
  campaignSchema,
  type GetCampaignInput,
  type GetCampaignResponse,
  runSchema,
  type UpdateCampaignRunInput,
  type UpdateCampaignRunResponse,
} from './campaigns.ts';
import { type CreateDatasetInput, type CreateDatasetResponse, datasetSchema, datasetsPath } from './datasets.ts';
import type { FileForm } from './file-form.ts';
import type { PageInput } from './list-scanner-packages.ts';
import {
  endpointsSchema,
  type GetProjectInput,
  type GetProjectResponse,
  type ListEndpointsInput,
  type ListEndpointsResponse,
  projectSchema,
} from './projects.ts';
import { type ReadCampaignRunInput, type ReadCampaignRunResponse, runReadingSchema } from './run-reading.ts';
import { type ScannerPackagesBody, scannerPackagesSchema } from './scanner-packages.ts';
import {
  instantText,
  isUuid,
  pathValue,
  type QueryValue,
  type Schema,
  schemaOfAsked,
  utcInstantText,
  uuidPathValue,
} from './schema.ts';

/** An operation of the interface. */
export interface Operation<Input extends CallOptions, Answer> {
  readonly name: string;
  readonly verb: OperationVerb;
  /** With the name of its value; such a path names one resource. */
  readonly path: string;
  /** Checks the input. @throws InvalidInputError */
  readonly ask: (input: Input) => OperationRequest;
  /** How its answer is read. */
  readonly answer: (input: Input) => Schema<Answer>;
  /** The most that is read of its answer. @default 1 MiB */
  readonly maxBytes?: number;
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
export const getProject: Operation<GetProjectInput, GetProjectResponse> = {
  name: 'getProject',
  verb: 'get',
  path: '/backend/v1/projects/{project}',
  ask: ({ project, configAt }) => ({
    value: pathValue('project', project),
    query: { configAt: optional(configAt) },
  }),
  // An answer to a uuid must be about that project. How a gateway compares names, the interface does not say.
  answer: ({ project: asked }) =>
    isUuid(asked)
      ? schemaOfAsked(projectSchema, asked, {
          field: 'project.id',
          namesOf: ({ project }) => [project.id, project.name, project.friendlyId],
        })
      : projectSchema,
};

/** Endpoints. The interface marks this operation deprecated: it serves to show what still has to migrate. */
export const listEndpoints: Operation<ListEndpointsInput, ListEndpointsResponse> = {
  name: 'listEndpoints',
  verb: 'get',
  path: '/backend/v1/endpoints',
  ask: ({ groupId, chatbotId }) => ({ query: { groupId, chatbotId } }),
  answer: () => endpointsSchema,
  maxBytes: listingBytes,
};

/** A campaign. An answer about another one is a `BadBodyError`: its counters would decide about a start of another campaign. */
export const getCampaign: Operation<GetCampaignInput, GetCampaignResponse> = {
  name: 'getCampaign',
  verb: 'get',
  path: '/backend/v1/campaigns/{campaignId}',
  ask: ({ campaignId, configAt }) => ({
    value: uuidPathValue('campaignId', campaignId),
    query: { configAt: optional(configAt) },
  }),
  answer: ({ campaignId }) =>
    schemaOfAsked(campaignSchema, campaignId, { field: 'campaign.id', namesOf: ({ campaign }) => [campaign.id] }),
};

/** One page of the scanner packages; `listScannerPackages` walks over all. */
export const listPage: Operation<PageInput, ScannerPackagesBody> = {
  name: 'listScannerPackages',
  verb: 'get',
  path: '/backend/v1/scanner-packages',
  ask: ({ query }) => ({ query }),
  answer: () => scannerPackagesSchema,
  maxBytes: listingBytes,
};

/** Changes a campaign run. */
export const updateCampaignRun: Operation<UpdateCampaignRunInput, UpdateCampaignRunResponse> = {
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
  answer: () => runSchema,
};

/**
 * Creates a dataset, on a connection of its own. Each POST makes another one and none can be read
 * back: see `classifyFailure` before any repeat.
 */
export const createDataset: Operation<CreateDatasetInput, CreateDatasetResponse> = {
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
  answer: () => datasetSchema,
};

// Outside of the interface. A gateway that publishes its own API document has it: `gateway.readsRuns`.

/** A campaign run as it is now. An answer about another run is a `BadBodyError`: its end would free a target that is still attacked. */
export const readCampaignRun: Operation<ReadCampaignRunInput, ReadCampaignRunResponse> = {
  name: 'readCampaignRun',
  verb: 'get',
  path: '/backend/v1/campaign-runs/{campaignRunId}',
  ask: ({ campaignRunId }) => ({ value: uuidPathValue('campaignRunId', campaignRunId) }),
  answer: ({ campaignRunId }) =>
    schemaOfAsked(runReadingSchema, campaignRunId, {
      field: 'campaignRun.id',
      namesOf: ({ campaignRun }) => [campaignRun.id],
    }),
};

function isEmpty(body: Readonly<Record<string, unknown>>): boolean {
  return Object.values(body).every((value) => value === undefined);
}
