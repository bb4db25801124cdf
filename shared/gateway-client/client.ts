/** A client of one gateway: its options, and its operations. */
import type { Parsed } from '../schedule/duration.ts';
import { parseBaseUrl, parseProxyUrl } from './addresses.ts';
import type { RequestInfo, VerbTimeouts } from './attempt.ts';
import { type Call, createCall, type TokenProvider } from './call.ts';
import { getCampaign, listRuns, makeRun, readCampaignRun, updateCampaignRun } from './campaigns.ts';
import { createDataset } from './datasets.ts';
import type { OperationVerb } from './failures/classify-failure.ts';
import { InvalidInputError } from './failures/errors.ts';
import { getProject, listEndpoints, type ListEndpointsInput } from './projects.ts';
import type { Random } from './retry-timing.ts';
import { listPage, walkScannerPackages } from './scanner-packages.ts';
import { createTransport } from './transport/transport.ts';

/** The time bounds of a call, in milliseconds. */
export interface GatewayTimeouts {
  /** To connect, TLS included; the tunnel of a proxy has as long again before it. @default 3000 */
  readonly connectMs?: number;
  /** From the request to the headers of its answer. @default 10000, and 30000 for a POST */
  readonly headersMs?: number;
  /**
   * The whole call: connecting, the answer to its last byte, and repeats in process.
   * @default 15000, and 45000 for a POST
   */
  readonly totalMs?: number;
}

/** The gateway's address, and the way to it: the same for every client of a stage. */
export interface GatewayConnection {
  /** Exact origin, https unless loopback; a path prefix may follow. */
  readonly baseUrl: string;
  /**
   * PEM: the authorities that vouch for the gateway, instead of the system's. @default the system's
   */
  readonly caBundle?: string | undefined;
  /** `http://host:port`: every connection goes through a tunnel of this proxy. @default direct */
  readonly proxy?: string | undefined;
}

/** What a gateway client is made of. */
export interface GatewayClientOptions extends GatewayConnection {
  readonly tokenProvider: TokenProvider;
  readonly timeouts?: GatewayTimeouts;
  /** Awaited before each request, repeats included. @default no wait */
  readonly pace?: () => Promise<void>;
  /** Whether a GET is repeated in process, at most twice. @default true */
  readonly repeatGets?: boolean;
  /** Epoch milliseconds, for dates in `Retry-After`. @default Date.now */
  readonly now?: () => number;
  /** @default Math.random */
  readonly random?: Random;
  /** Called after each attempt. What it throws is dropped: logging decides nothing. */
  readonly onRequest?: (info: RequestInfo) => void;
}

/**
 * The operations of the interface, and those outside of it. They throw only a GatewayError, which says `requestSent`.
 */
export function operationsOf(call: Call) {
  return {
    getProject: call(getProject),
    /** The interface marks this operation deprecated. */
    listEndpoints: (input: ListEndpointsInput = {}) => call(listEndpoints)(input),
    getCampaign: call(getCampaign),
    listScannerPackages: walkScannerPackages(call(listPage)),
    updateCampaignRun: call(updateCampaignRun),
    createDataset: call(createDataset),
    /** Not in the interface: only a gateway with `readsRuns` is asked. */
    readCampaignRun: call(readCampaignRun),
    /** Not in the interface: only a gateway with `makesRuns` is asked. So is the next. */
    makeRun: call(makeRun),
    listRuns: call(listRuns),
  };
}

/** The operations of a client. */
export type GatewayOperations = ReturnType<typeof operationsOf>;

export interface GatewayClient extends GatewayOperations {
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes a client of one gateway.
 * @throws InvalidInputError for an address that it does not take
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { origin, pathPrefix } = valueOf('baseUrl', parseBaseUrl(options.baseUrl));
  const transport = createTransport({
    origin,
    connectMs: options.timeouts?.connectMs ?? defaultConnectMs,
    caBundle: options.caBundle,
    proxy: options.proxy === undefined ? undefined : valueOf('proxy', parseProxyUrl(options.proxy)),
  });
  const call = createCall({
    transport,
    pathPrefix,
    tokenProvider: options.tokenProvider,
    timeouts: verbTimeouts(options.timeouts),
    pace: options.pace,
    repeatGets: options.repeatGets ?? true,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    onRequest: options.onRequest,
  });
  return { ...operationsOf(call), close: () => transport.close() };
}

function valueOf<Value>(option: string, read: Parsed<Value>): Value {
  if (read.ok) return read.value;
  throw new InvalidInputError(option, read.problem);
}

export const defaultConnectMs = 3000;

/** The time bounds of each verb. */
export function verbTimeouts({ headersMs, totalMs }: GatewayTimeouts = {}): Readonly<
  Record<OperationVerb, VerbTimeouts>
> {
  const usual = { headersMs: headersMs ?? 10_000, totalMs: totalMs ?? 15_000 };
  return { get: usual, patch: usual, post: { headersMs: headersMs ?? 30_000, totalMs: totalMs ?? 45_000 } };
}
