import { randomUUID } from 'node:crypto';
import { createSecretsManagerClient, createSecretToken } from '#shared/aws/secret-token.ts';
import { createGatewayClient, type GatewayConnection, type TokenProvider } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Runtime } from '../_handler/handlers.ts';
import type { Log } from '../_handler/output.ts';
import { createGate } from './create-gate.ts';
import { type Gate, requestLog } from './gate.ts';

/**
 * What stands between a function and the gateway: the token, the gate, and the probe that opens it.
 */
export interface GatewayAccess {
  readonly token: TokenProvider;
  readonly gate: Gate;
  /** One small read; throws if the gateway did not answer as it should. Also the smoke check. */
  readonly probe: (probeMs?: number) => Promise<void>;
}

/** Makes the access of one environment, and keeps its gate in this ledger. */
export function createGatewayAccess(
  runtime: Pick<Runtime<FunctionName>, 'log' | 'count' | 'now' | 'random' | 'secrets'> & {
    readonly config: { readonly gateway: GatewayConnection };
    readonly env: { readonly TOKEN_SECRET_ARN: string };
  },
  ledger: Ledger,
): GatewayAccess {
  const { log, count, now, random, config } = runtime;
  const token = createGatewayToken(runtime, runtime.env.TOKEN_SECRET_ARN);
  const probe = createGatewayProbe({ ...config.gateway, token, log });
  return { token, gate: createGate({ ledger, probe, owner: randomUUID(), log, count, now, random }), probe };
}

/** Fits beside the work of a caller that does not say how much time it has. */
const defaultProbeMs = 5000;

/**
 * The call that shows whether the gateway is back: the smallest read there is, once, on a
 * connection of its own. The token is read from its secret first. After a rotation the one in hand
 * is of no use, and this may be the only call.
 * @returns a function that throws if the gateway did not answer as it should within this time
 */
export function createGatewayProbe(
  options: GatewayConnection & { readonly token: TokenProvider; readonly log: Log },
): (probeMs?: number) => Promise<void> {
  const { token, log, ...connection } = options;
  return async (probeMs = defaultProbeMs) => {
    const client = createGatewayClient({
      ...connection,
      tokenProvider: { get: async () => token.refresh(), refresh: async () => token.refresh() },
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

/**
 * The gateway's token as one environment of a function uses it: kept out of the log, and warned of
 * before it expires.
 * @example const token = createGatewayToken(runtime, runtime.env.TOKEN_SECRET_ARN);
 */
function createGatewayToken(
  runtime: Pick<Runtime<FunctionName>, 'log' | 'count' | 'now' | 'secrets'>,
  secretArn: string,
): TokenProvider {
  let expiresAt: string | undefined;
  const watchExpiry = createExpiryWatch(runtime);
  const token = createSecretToken({
    client: createSecretsManagerClient(),
    secretArn,
    onToken: (value, expiry) => {
      runtime.secrets.add(value);
      expiresAt = expiry;
    },
  });

  async function watched(fetched: Promise<string>): Promise<string> {
    const value = await fetched;
    if (expiresAt !== undefined) watchExpiry(expiresAt);
    return value;
  }

  return { get: () => watched(token.get()), refresh: () => watched(token.refresh()) };
}

const dayMs = 86_400_000;

/** Two weeks: time to ask a vendor for another token. */
const warnedDays = 14;

/**
 * Warns of a token that expires, from two weeks before: once a day from each environment, however
 * often it is asked.
 * @returns a function that takes the `expiresAt` of the token in hand
 */
export function createExpiryWatch({
  log,
  count,
  now,
}: Pick<Runtime<FunctionName>, 'log' | 'count' | 'now'>): (expiresAt: string) => void {
  let warnedOn: string | undefined;

  return (expiresAt) => {
    const today = now().toISOString().slice(0, 10);
    if (today === warnedOn) return;
    const leftMs = Date.parse(expiresAt) - now().getTime();
    if (leftMs > warnedDays * dayMs) return;

    warnedOn = today;
    const isOdd = 'expiresAt of the token is no instant (RFC 3339): no alarm warns before it expires';
    if (Number.isNaN(leftMs)) return log.warn(logEvents.tokenExpires, isOdd);
    const daysLeft = Math.max(0, Math.floor(leftMs / dayMs));
    count(metricNames.tokenDaysLeft, daysLeft);
    const fields = { expiresAt, daysLeft };
    if (leftMs <= 0) log.error(logEvents.tokenExpires, `the token of the gateway expired at ${expiresAt}`, fields);
    else log.warn(logEvents.tokenExpires, `the token of the gateway expires at ${expiresAt}`, fields);
  };
}
