import { parseBaseUrl, parseProxyUrl } from './transport/addresses.ts';
import { type Call, createCall } from './call.ts';
import type {
  GetCampaignInput,
  GetCampaignResponse,
  UpdateCampaignRunInput,
  UpdateCampaignRunResponse,
} from './endpoints/campaigns.ts';
import type { CreateDatasetInput, CreateDatasetResponse } from './endpoints/datasets.ts';
import {
  listScannerPackages,
  type ListScannerPackagesInput,
  type ScannerPackagesPage,
} from './endpoints/list-scanner-packages.ts';
import * as operations from './endpoints/operations.ts';
import type {
  GetProjectInput,
  GetProjectResponse,
  ListEndpointsInput,
  ListEndpointsResponse,
} from './endpoints/projects.ts';
import type { ReadCampaignRunInput, ReadCampaignRunResponse } from './endpoints/run-reading.ts';
import { defaultConnectMs, type GatewayClientOptions, verbTimeouts } from './options.ts';
import { createRetryBudget } from './retry-timing.ts';
import { createTransport } from './transport/transport.ts';

/**
 * The six operations of the interface. They throw only a GatewayError, which says `requestSent`.
 */
export interface GatewayOperations {
  getProject(input: GetProjectInput): Promise<GetProjectResponse>;
  /** The interface marks this operation deprecated. */
  listEndpoints(input?: ListEndpointsInput): Promise<ListEndpointsResponse>;
  getCampaign(input: GetCampaignInput): Promise<GetCampaignResponse>;
  listScannerPackages(input?: ListScannerPackagesInput): AsyncGenerator<ScannerPackagesPage, void, undefined>;
  updateCampaignRun(input: UpdateCampaignRunInput): Promise<UpdateCampaignRunResponse>;
  createDataset(input: CreateDatasetInput): Promise<CreateDatasetResponse>;
}

/** What is not in the interface. Only a gateway with `readsRuns` is asked. */
export interface RunReadings {
  readCampaignRun(input: ReadCampaignRunInput): Promise<ReadCampaignRunResponse>;
}

/** A client of one gateway. */
export interface GatewayClient extends GatewayOperations, RunReadings {
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

/** The operations over a call. */
export function operationsOf(call: Call): GatewayOperations & RunReadings {
  return {
    getProject: (input) => call(operations.getProject, input),
    listEndpoints: (input = {}) => call(operations.listEndpoints, input),
    getCampaign: (input) => call(operations.getCampaign, input),
    listScannerPackages: (input) => listScannerPackages((page) => call(operations.listPage, page), input),
    updateCampaignRun: (input) => call(operations.updateCampaignRun, input),
    createDataset: (input) => call(operations.createDataset, input),
    readCampaignRun: (input) => call(operations.readCampaignRun, input),
  };
}

/**
 * Makes a client of one gateway.
 * @example
 * const client = createGatewayClient({ baseUrl: 'https://gateway.example.com', tokenProvider });
 * const { campaign } = await client.getCampaign({ campaignId });
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { origin, pathPrefix } = parseBaseUrl(options.baseUrl);
  const transport = createTransport({
    origin,
    connectMs: options.timeouts?.connectMs ?? defaultConnectMs,
    caBundle: options.caBundle,
    proxy: options.proxy === undefined ? undefined : parseProxyUrl(options.proxy),
  });
  const call = createCall({
    transport,
    pathPrefix,
    tokenProvider: options.tokenProvider,
    timeouts: verbTimeouts(options.timeouts),
    pace: options.pace,
    repeatGets: options.repeatGets ?? true,
    budget: createRetryBudget(),
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    onRequest: options.onRequest,
  });
  return { ...operationsOf(call), close: () => transport.close() };
}
