import { createGatewayClient, type TokenProvider } from '../../shared/gateway-client/index.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import type { Log } from '../_runtime/log.ts';
import { callTimes } from './call-times.ts';
import type { UpdateDeps } from './deps.ts';

/**
 * The gateway as this worker calls it. A GET that fails goes back to the queue: its repeat has a turn of its own there.
 * @returns what makes the client, once, with all the time that the function has at the start of its first attempt
 */
export function createRunGateway(options: {
  readonly baseUrl: string;
  readonly tokenProvider: TokenProvider;
  readonly log: Log;
}): (functionMs: number) => Pick<UpdateDeps, 'gateway' | 'callBudgetMs'> {
  const { log, ...rest } = options;
  let made: Pick<UpdateDeps, 'gateway' | 'callBudgetMs'> | undefined;

  function make(functionMs: number): Pick<UpdateDeps, 'gateway' | 'callBudgetMs'> {
    const { totalMs, budgetMs } = callTimes(functionMs);
    const gateway = createGatewayClient({
      ...rest,
      timeouts: { totalMs },
      repeatGets: false,
      onRequest: (info) => log.debug(logEvents.gatewayRequest, `${info.method} ${info.pathTemplate}`, { ...info }),
    });
    return { gateway, callBudgetMs: budgetMs };
  }

  return (functionMs) => (made ??= make(functionMs));
}
