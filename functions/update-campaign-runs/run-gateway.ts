import type { GatewayClient, GatewayConnection, TokenProvider } from '../../shared/gateway-client/index.ts';
import { createGatewayWithin } from '../_runtime/gateway-within.ts';
import type { Log } from '../_runtime/log.ts';
import type { Mode } from '../_runtime/observe.ts';
import type { UpdateDeps } from './deps.ts';
import { observedGateway } from './observed-gateway.ts';

/** What the worker calls, and what answers to questions read beside it. */
export interface RunGateway extends Pick<UpdateDeps, 'callBudgetMs'> {
  readonly gateway: UpdateDeps['gateway'] & Pick<GatewayClient, 'getProject'>;
}

/** The gateway as this worker calls it: in a stage that only observes, no PATCH leaves. */
export function createRunGateway(
  options: GatewayConnection & { readonly tokenProvider: TokenProvider; readonly log: Log; readonly mode: Mode },
): (functionMs: number) => RunGateway {
  const { mode, ...rest } = options;
  const within = createGatewayWithin(rest);
  return (functionMs) => {
    const { gateway, callBudgetMs } = within(functionMs);
    return { gateway: mode === 'act' ? gateway : { ...gateway, ...observedGateway(gateway) }, callBudgetMs };
  };
}
