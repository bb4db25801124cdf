import { randomUUID } from 'node:crypto';
import type { SecretToken } from '#shared/aws/token/secret-token.ts';
import { createGatewayClient, type GatewayConnection } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { FunctionName } from '#shared/vocabulary/function-names.ts';
import { createGate } from './create-gate.ts';
import type { Gate } from './gate.ts';
import { createGatewayToken } from './gateway-token.ts';
import type { Runtime } from '../_handler/handlers.ts';
import type { Log } from '../_handler/log.ts';
import { requestLog } from './gateway-within.ts';

/** What stands between a function and the gateway: the token, the gate, and the probe that opens it. */
export interface GatewayAccess {
  readonly token: SecretToken;
  readonly gate: Gate;
  /** One small read; throws where the gateway did not answer as it should. Also the smoke check. */
  readonly probe: (probeMs?: number) => Promise<void>;
}

/**
 * Makes the access of one environment.
 * @param table - the ledger as it is: the gate holds for a stage that only observes, too
 */
export function createGatewayAccess(
  runtime: Pick<Runtime<FunctionName>, 'log' | 'count' | 'now' | 'random' | 'secrets'>,
  options: { readonly connection: GatewayConnection; readonly secretArn: string; readonly table: Ledger },
): GatewayAccess {
  const { log, count, now, random } = runtime;
  const token = createGatewayToken(runtime, options.secretArn);
  const probe = createGatewayProbe({ ...options.connection, token, log });
  const gate = createGate({ ledger: options.table, probe, owner: randomUUID(), log, count, now, random });
  return { token, gate, probe };
}

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
