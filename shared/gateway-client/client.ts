import { parseBaseUrl, parseProxyUrl } from './transport/addresses.ts';
import { type Call, createCall } from './call.ts';
import type { GetCampaignInput, ReadCampaignRunInput, UpdateCampaignRunInput } from './endpoints/campaigns.ts';
import type { CreateDatasetInput } from './endpoints/datasets.ts';
import { cursorText, listScannerPackages, type ListScannerPackagesInput } from './endpoints/scanner-packages.ts';
import * as operations from './endpoints/operations.ts';
import type { ListRunsInput, MakeRunInput } from './endpoints/made-runs.ts';
import type { GetProjectInput, ListEndpointsInput } from './endpoints/projects.ts';
import { defaultConnectMs, type GatewayClientOptions, verbTimeouts } from './options.ts';
import { createRetryBudget } from './retry-timing.ts';
import { createTransport } from './transport/transport.ts';

/**
 * The six operations of the interface over a call, and three outside of it. They throw only a
 * GatewayError, which says `requestSent`.
 */
export function operationsOf(call: Call) {
  return {
    getProject: (input: GetProjectInput) => call(operations.getProject, input),
    /** The interface marks this operation deprecated. */
    listEndpoints: (input: ListEndpointsInput = {}) => call(operations.listEndpoints, input),
    getCampaign: (input: GetCampaignInput) => call(operations.getCampaign, input),
    listScannerPackages: (input?: ListScannerPackagesInput) =>
      listScannerPackages((page) => call(operations.listPage, page), input),
    updateCampaignRun: (input: UpdateCampaignRunInput) => call(operations.updateCampaignRun, input),
    createDataset: (input: CreateDatasetInput) => call(operations.createDataset, input),
    /** Not in the interface: only a gateway with `readsRuns` is asked. */
    readCampaignRun: (input: ReadCampaignRunInput) => call(operations.readCampaignRun, input),
    /** Not in the interface: only a gateway with `makesRuns` is asked. So is the next. */
    makeRun: (input: MakeRunInput) => call(operations.makeRun, input),
    listRuns: async (input: ListRunsInput) => {
      const page = await call(operations.listRuns, input);
      return { ...page, next: cursorText(page.next) };
    },
  };
}

/** The operations of a client. */
export type GatewayOperations = ReturnType<typeof operationsOf>;

/** A client of one gateway. */
export interface GatewayClient extends GatewayOperations {
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

/** Makes a client of one gateway. */
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
