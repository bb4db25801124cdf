/**
 * The gateway's resources as the interface types them, and what this gateway keeps beside them to
 * answer its filters.
 */

/** One package or scanner inside a project's configuration. */
export interface ConfigEntryResource {
  readonly blocking: string;
  readonly enabled: string;
  readonly flagMessage: string;
  readonly force: string;
  readonly id: string;
  readonly mode: string;
  readonly version: string;
}

/** One model provider inside a project's configuration. */
export interface ProviderEntry {
  readonly capabilities: string;
  readonly default: string;
  readonly enabled: boolean;
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** What a project or an endpoint is set to. */
export interface Config {
  readonly packages: readonly ConfigEntryResource[];
  readonly providerRouting: string;
  readonly providers: readonly ProviderEntry[];
  readonly scanners: readonly ConfigEntryResource[];
}

/** Interface 2.1. */
export interface ProjectResource {
  readonly adminCount: number;
  readonly adminRoleId: string;
  readonly botType: string;
  readonly chatbotId: string;
  readonly config: Config;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly friendlyId: string;
  readonly id: string;
  readonly memberCount: number;
  readonly memberRoleId: string;
  readonly name: string;
  readonly providerCount: string;
  readonly scannerCount: string;
  readonly tokenCount: string;
  readonly type: string;
  readonly updatedAt: string;
}

/** Interface 2.3, deprecated there. */
export interface EndpointResource {
  readonly chatbotId: string;
  readonly config: Config;
  readonly createdAt: string;
  readonly groupId: string;
  readonly id: string;
  readonly name: string;
}

/** The part of a campaign that `configAt` looks back at. */
export interface CampaignConfig {
  readonly attacks: readonly unknown[];
  readonly description: string;
  readonly name: string;
}

/** Interface 2.4. */
export interface CampaignResource extends CampaignConfig {
  readonly createdAt: string;
  readonly createdBy: string;
  readonly id: string;
  readonly lastRun: string;
  readonly lastRunAt: string;
  readonly runCount: number;
  readonly vendored: boolean;
}

/** Interface 2.5. */
export interface ScannerPackageResource {
  readonly availability: { readonly global: boolean; readonly projectIds: readonly (readonly string[])[] };
  readonly availableUpdate: string;
  readonly direction: string;
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly scannerCounts: Readonly<Record<string, number>>;
  readonly scannerIds: readonly string[];
  readonly shared: boolean;
  readonly source: { readonly type: string };
  readonly vendored: boolean;
}

/**
 * A scanner package with what the listing filters and sorts by; the interface does not show these.
 */
export interface StoredScannerPackage extends ScannerPackageResource {
  readonly createdAt: string;
  readonly groupId: string;
  readonly packaged: boolean;
  readonly published: boolean;
  readonly tags: readonly string[];
  readonly types: readonly string[];
  readonly updatedAt: string;
}

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

/** The six of the interface, by name. */
const operations = {
  getProject: { method: 'GET', path: '/backend/v1/projects/:project' },
  listEndpoints: { method: 'GET', path: '/backend/v1/endpoints' },
  getCampaign: { method: 'GET', path: '/backend/v1/campaigns/:campaignId' },
  listScannerPackages: { method: 'GET', path: '/backend/v1/scanner-packages' },
  updateCampaignRun: { method: 'PATCH', path: '/backend/v1/campaign-runs/:campaignRunId' },
  createDataset: { method: 'POST', path: '/backend/v1/datasets' },
} as const;

/** Outside of the interface; a gateway that publishes its own API document has it. */
const outsideOperations = {
  readCampaignRun: { method: 'GET', path: '/backend/v1/campaign-runs/:campaignRunId' },
} as const;

/** Everything that is served. */
export const servedOperations = { ...operations, ...outsideOperations } as const;

/** The names, for messages and checks. */
export const operationNames = Object.keys(servedOperations) as readonly OperationName[];

const matchers = operationNames.map((name) => ({
  name,
  method: servedOperations[name].method,
  path: new RegExp(`^${servedOperations[name].path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u'),
}));

/** The operation that a request addresses, if any; HEAD counts as GET. */
export function operationOf(method: string, path: string): OperationName | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return matchers.find((matcher) => matcher.method === asked && matcher.path.test(path))?.name;
}
