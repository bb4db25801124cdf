import type { SecretToken } from '#shared/aws/token/secret-token.ts';
import { createGatewayClient, type GatewayConnection } from '#shared/gateway-client/index.ts';
import type { Log } from '../_handler/log.ts';
import { requestLog } from './gateway-within.ts';

/** Fits beside the work of a caller that does not say how much time it has. */
const defaultProbeMs = 5000;

/**
 * The call that shows whether the gateway is back: the smallest read there is, once, on a connection of its own. The token is read from its
 * secret first: after a rotation the one in hand is of no use, and this may be the only call that is made.
 * @returns a function that throws if the gateway did not answer as it should within this time
 */
export function createGatewayProbe(
  options: GatewayConnection & { readonly token: SecretToken; readonly log: Log },
): (probeMs?: number) => Promise<void> {
  const { token, log, ...connection } = options;
  return async (probeMs = defaultProbeMs) => {
    const client = createGatewayClient({
      ...connection,
      tokenProvider: { get: token.refresh, refresh: token.refresh },
      repeatGets: false,
      timeouts: { totalMs: probeMs, headersMs: probeMs },
      onRequest: requestLog(log),
    });
    try {
      await client.listScannerPackages({ limit: 1 }).next();
    } finally {
      await client.close();
    }
  };
}
