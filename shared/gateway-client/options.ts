import type { OperationVerb } from './failures/verdict.ts';
import type { Random } from './retry-timing.ts';

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

/** One attempt, for a log line: no token, no body, no query, no cursor. */
export interface RequestInfo {
  readonly operation: string;
  readonly method: string;
  /** The path with the names of its values, e.g. `/backend/v1/campaigns/{campaignId}`. */
  readonly pathTemplate: string;
  readonly requestId: string;
  /** 1 for the first attempt of the call. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Undefined if no status came. */
  readonly status: number | undefined;
  readonly requestSent: boolean;
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

/** Headers that a call may carry for the vendor's support. */
export interface CallOptions {
  /** Sent as `x-request-id`. @default a random uuid */
  readonly requestId?: string;
  /** Sent as `Idempotency-Key`. The interface knows none, so it protects nothing today. */
  readonly idempotencyKey?: string;
}

/** The time bounds of one verb. */
export interface VerbTimeouts {
  readonly headersMs: number;
  readonly totalMs: number;
}

/** The default to connect. */
export const defaultConnectMs = 3000;

/** The time bounds of each verb. */
export function verbTimeouts({ headersMs, totalMs }: GatewayTimeouts = {}): Readonly<
  Record<OperationVerb, VerbTimeouts>
> {
  const usual = { headersMs: headersMs ?? 10_000, totalMs: totalMs ?? 15_000 };
  return { get: usual, patch: usual, post: { headersMs: headersMs ?? 30_000, totalMs: totalMs ?? 45_000 } };
}

/** The source of the token, for many calls at once. */
export interface TokenProvider {
  /** The token as last fetched. */
  get(): Promise<string>;
  /** Fetches again, after a 401. */
  refresh(): Promise<string>;
}
