import {
  createGatewayClient,
  type GatewayClient,
  type GatewayConnection,
  type TokenProvider,
} from '#shared/gateway-client/index.ts';
import { callTimes } from './call-times.ts';
import type { Log } from '../_handler/log.ts';
import { requestLog } from './log-request.ts';

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
