import {
  createGatewayClient,
  type GatewayClient,
  type GatewayConnection,
  type RequestInfo,
  type TokenProvider,
} from '#shared/gateway-client/index.ts';
import type { Log } from '../_handler/log.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';

/** A client whose calls end within its function's time. */
export interface GatewayWithin {
  readonly gateway: GatewayClient;
  /** The longest that one call and the writes after it take: none is begun with less time left. */
  readonly callBudgetMs: number;
}

/**
 * The gateway as a function calls it that may not be cut off in a call. A GET that fails is not repeated in process: what asked for it comes
 * back, and has a turn of its own then.
 * @returns what makes the client, once, with all the time that the function has at the start of its first attempt
 */
export function createGatewayWithin(
  options: GatewayConnection & { readonly tokenProvider: TokenProvider; readonly log: Log },
): (functionMs: number) => GatewayWithin {
  const { log, ...rest } = options;
  let made: GatewayWithin | undefined;

  function make(functionMs: number): GatewayWithin {
    const { totalMs, budgetMs } = callTimes(functionMs);
    const gateway = createGatewayClient({
      ...rest,
      timeouts: { totalMs },
      repeatGets: false,
      onRequest: requestLog(log),
    });
    return { gateway, callBudgetMs: budgetMs };
  }

  return (functionMs) => (made ??= make(functionMs));
}

/** How long one call of the gateway may take. */
export interface CallTimes {
  /** The call itself, to the last byte of its answer. */
  readonly totalMs: number;
  /** The call, and writing down what became of it. */
  readonly budgetMs: number;
}

/** A start is a GET and a PATCH: two calls and the ledger fit into the function's time, so that the platform cuts neither. */
const callShare = 0.4;
const longestCallMs = 15_000;

/** For the write after a call, with its repeats. */
const writeShare = 0.1;
const longestWriteMs = 2000;

/** The times of the calls in a function with so much time. */
export function callTimes(functionMs: number): CallTimes {
  const totalMs = Math.min(longestCallMs, functionMs * callShare);
  return { totalMs, budgetMs: totalMs + Math.min(longestWriteMs, functionMs * writeShare) };
}

/**
 * What a gateway client tells of each request, as a line for whoever looks for a fault. The id that the gateway got is `xRequestId` there, as in
 * every other line: `requestId` is the invocation's.
 * @returns `undefined` where nobody reads it
 */
export function requestLog(log: Pick<Log, 'debug' | 'isDebugging'>): ((info: RequestInfo) => void) | undefined {
  if (log.isDebugging === false) return undefined;
  return ({ requestId: xRequestId, ...info }) =>
    log.debug(logEvents.gatewayRequest, `${info.method} ${info.pathTemplate}`, { ...info, xRequestId });
}
