/**
 * The gateway's resources as the interface types them, and what this gateway keeps beside them to
 * answer its filters. The usual values are those of the seed, and of what the control surface
 * makes.
 */
import * as z from 'zod';

const text = z.string();

/**
 * One package or scanner inside a project's configuration; without more it blocks. The interface
 * types the flags as strings.
 */
export const configEntryFields = z.strictObject({
  blocking: text.default('true'),
  enabled: text.default('true'),
  flagMessage: text.default('This message was stopped by a security scanner.'),
  force: text.default('false'),
  id: text.min(1),
  mode: text.default('block'),
  version: text.default(''),
});

/** One model provider inside a project's configuration. */
export const providerFields = z.strictObject({
  capabilities: text.default('chat'),
  default: text.default('false'),
  enabled: z.boolean().default(true),
  id: text.min(1),
  name: text.default(''),
  type: text.default('openai-compatible'),
});

/** What a project or an endpoint is set to. */
export const configFields = z.strictObject({
  packages: z.array(configEntryFields),
  providerRouting: text,
  providers: z.array(providerFields),
  scanners: z.array(configEntryFields),
});

/** Of a project or an endpoint. */
export type Config = z.output<typeof configFields>;

/** Interface 2.1. */
export const projectFields = z.strictObject({
  adminCount: z.int().min(0),
  adminRoleId: text,
  botType: text,
  chatbotId: text,
  config: configFields,
  createdAt: text,
  createdBy: text,
  friendlyId: text,
  id: text,
  memberCount: z.int().min(0),
  memberRoleId: text,
  name: text.min(1),
  providerCount: text,
  scannerCount: text,
  tokenCount: text,
  type: text,
  updatedAt: text,
});

export type ProjectResource = z.output<typeof projectFields>;

/** Interface 2.3, deprecated there. */
export interface EndpointResource {
  readonly chatbotId: string;
  readonly config: Config;
  readonly createdAt: string;
  readonly groupId: string;
  readonly id: string;
  readonly name: string;
}

/** Interface 2.4. */
export const campaignFields = z.strictObject({
  attacks: z.array(z.json()),
  createdAt: text,
  createdBy: text,
  description: text,
  id: text,
  lastRun: text,
  lastRunAt: text,
  name: text,
  runCount: z.int().min(0),
  vendored: z.boolean(),
});

export type CampaignResource = z.output<typeof campaignFields>;

/** The part of a campaign that `configAt` looks back at. */
export type CampaignConfig = Pick<CampaignResource, 'attacks' | 'description' | 'name'>;

/** A campaign that never ran. */
export const usualCampaign = {
  attacks: [],
  createdBy: 'grace@example.com',
  description: '',
  lastRun: '',
  lastRunAt: '',
  name: 'New campaign',
  runCount: 0,
  vendored: false,
};

/**
 * Interface 2.5, and from `createdAt` on what the listing filters and sorts by, which the interface
 * does not show.
 */
export const packageFields = z.strictObject({
  availability: z.strictObject({ global: z.boolean(), projectIds: z.array(z.array(text)) }),
  availableUpdate: text,
  direction: text,
  id: text,
  name: text,
  projectId: text,
  scannerCounts: z.record(text, z.int()),
  scannerIds: z.array(text),
  shared: z.boolean(),
  source: z.strictObject({ type: text }),
  vendored: z.boolean(),
  createdAt: text,
  groupId: text,
  packaged: z.boolean(),
  published: z.boolean(),
  tags: z.array(text),
  types: z.array(text),
  updatedAt: text,
});

/** A scanner package as it is kept. */
export type StoredScannerPackage = z.output<typeof packageFields>;

/** A package that everyone may use. */
export const usualPackage = {
  availability: { global: true, projectIds: [] },
  availableUpdate: '',
  direction: 'request',
  groupId: '',
  name: 'New package',
  packaged: true,
  projectId: '',
  published: true,
  scannerCounts: {},
  scannerIds: [],
  shared: false,
  source: { type: 'internal' },
  tags: [],
  types: [],
  vendored: false,
};

/** A campaign run: the four fields of interface 4.5, and whose run it is. */
export interface CampaignRun {
  readonly campaignId: string;
  readonly id: string;
  readonly name: string;
  /** Kept as it was sent: the interface says string, the real gateway takes a boolean. */
  readonly preserve: string | boolean;
  /** Empty for a run that was made without one. */
  readonly startAt: string;
  readonly status: string;
}

/** What a PATCH may change; null stands for a field that was left out. */
export type CampaignRunChange = {
  readonly [Field in 'name' | 'preserve' | 'startAt' | 'status']?: CampaignRun[Field] | null;
};

/**
 * One accepted change of a run, or what it did by itself, kept for ever; `from` and `to` are equal
 * if the status stayed.
 */
export interface Transition {
  readonly at: string;
  /** Null if the run did it by itself. */
  readonly requestId: string | null;
  readonly by: 'api' | 'control' | 'gateway';
  readonly from: string;
  readonly to: string;
  readonly body: unknown;
}

/** What is kept of a file that came with its dataset. */
export interface DatasetFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A registered dataset, with the request that made it; null if the request left a field out. */
export interface Dataset {
  readonly createdAt: string;
  readonly file: DatasetFile | null;
  readonly fileId: string | null;
  readonly id: string;
  readonly name: string | null;
  readonly requestId: string;
  readonly scannerId: string | null;
  readonly scannerPackageId: string | null;
  readonly scannerVersions: string | readonly string[] | null;
}

// The operations: their names, methods and paths, said once for routes, faults and the request log.

/**
 * The name by which faults and the request log speak of an operation; the OpenAPI document's
 * `operationId`.
 */
export type OperationName = keyof typeof servedOperations;

/**
 * All that is served, by name: the six of the interface, and what a gateway that publishes its own
 * API document has besides.
 */
export const servedOperations = {
  getProject: { method: 'GET', path: '/backend/v1/projects/:project' },
  listEndpoints: { method: 'GET', path: '/backend/v1/endpoints' },
  getCampaign: { method: 'GET', path: '/backend/v1/campaigns/:campaignId' },
  listScannerPackages: { method: 'GET', path: '/backend/v1/scanner-packages' },
  updateCampaignRun: { method: 'PATCH', path: '/backend/v1/campaign-runs/:campaignRunId' },
  createDataset: { method: 'POST', path: '/backend/v1/datasets' },
  readCampaignRun: { method: 'GET', path: '/backend/v1/campaign-runs/:campaignRunId' },
  makeRun: { method: 'POST', path: '/backend/v1/campaign-schedules' },
  listRuns: { method: 'GET', path: '/backend/v1/campaign-runs' },
} as const;

/** The names, for messages and checks. */
export const operationNames = Object.keys(servedOperations) as readonly OperationName[];

/** The operation that a request addresses, if any; HEAD counts as GET. */
export function operationOf(method: string, path: string): OperationName | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return operationNames.find(
    (name) =>
      servedOperations[name].method === asked &&
      new RegExp(`^${servedOperations[name].path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u').test(path),
  );
}
