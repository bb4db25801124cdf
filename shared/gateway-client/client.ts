import { parseBaseUrl, parseProxyUrl } from './transport/addresses.ts';
import { createCall } from './call.ts';
import {
  getCampaign,
  type GetCampaignInput,
  type GetCampaignResponse,
  updateCampaignRun,
  type UpdateCampaignRunInput,
  type UpdateCampaignRunResponse,
} from './endpoints/campaigns.ts';
import { createDataset } from './endpoints/datasets.ts';
import type { CreateDatasetInput, CreateDatasetResponse } from './endpoints/datasets.ts';
import {
  getProject,
  type GetProjectInput,
  type GetProjectResponse,
  listEndpoints,
  type ListEndpointsInput,
  type ListEndpointsResponse,
} from './endpoints/projects.ts';
import { InvalidInputError } from './failures/errors.ts';
import {
  listScannerPackages,
  type ListScannerPackagesInput,
  type ScannerPackagesPage,
} from './endpoints/list-scanner-packages.ts';
import { defaultConnectMs, defaultMaxResponseBytes, type GatewayClientOptions, verbTimeouts } from './options.ts';
import { createRetryBudget } from './retry-timing.ts';
import { createTransport } from './transport/transport.ts';

/**
 * The six operations of the interface. They throw only a GatewayError, which says `requestSent`.
 */
export interface GatewayClient {
  getProject(input: GetProjectInput): Promise<GetProjectResponse>;
  /** The interface marks this operation deprecated. */
  listEndpoints(input?: ListEndpointsInput): Promise<ListEndpointsResponse>;
  getCampaign(input: GetCampaignInput): Promise<GetCampaignResponse>;
  listScannerPackages(input?: ListScannerPackagesInput): AsyncGenerator<ScannerPackagesPage, void, undefined>;
  updateCampaignRun(input: UpdateCampaignRunInput): Promise<UpdateCampaignRunResponse>;
  createDataset(input: CreateDatasetInput): Promise<CreateDatasetResponse>;
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes a client of one gateway.
 * @example
 * const client = createGatewayClient({ baseUrl: 'https://gateway.example.com', tokenProvider });
 * const { campaign } = await client.getCampaign({ campaignId });
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { origin, pathPrefix } = parseBaseUrl(options.baseUrl);
  const userAgent = options.userAgent ?? 'gateway-autopilot';
  if (!/^[\u0020-\u007e]{1,255}$/.test(userAgent)) throw new InvalidInputError('userAgent', 'must be printable ASCII');
  const transport = createTransport({
    origin,
    connectMs: options.timeouts?.connectMs ?? defaultConnectMs,
    caBundle: options.caBundle,
    proxy: options.proxy === undefined ? undefined : parseProxyUrl(options.proxy),
  });
  const call = createCall({
    transport,
    pathPrefix,
    userAgent,
    tokenProvider: options.tokenProvider,
    timeouts: verbTimeouts(options.timeouts),
    maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
    pace: options.pace,
    repeatGets: options.repeatGets ?? true,
    budget: createRetryBudget(),
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    onRequest: options.onRequest,
  });
  return {
    getProject: (input) => getProject(call, input),
    listEndpoints: (input) => listEndpoints(call, input),
    getCampaign: (input) => getCampaign(call, input),
    listScannerPackages: (input) => listScannerPackages(call, input),
    updateCampaignRun: (input) => updateCampaignRun(call, input),
    createDataset: (input) => createDataset(call, input),
    close: () => transport.close(),
  };
}
