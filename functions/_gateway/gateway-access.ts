import { randomUUID } from 'node:crypto';
import { lazily } from '#shared/aws/client-settings.ts';
import { createEventBridgeClient, createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { createQueue, createSqsClient } from '#shared/aws/queue.ts';
import { createSecretsManagerClient, createSecretToken } from '#shared/aws/secret-token.ts';
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayConnection,
  type TokenProvider,
} from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Runtime } from '../_handler/handlers.ts';
import type { Log } from '../_handler/function-log.ts';
import { commandsOfMode, type Mode, openLedger } from '../_handler/stage-ledger.ts';
import { createGate } from './create-gate.ts';
import { requestLog } from './gateway-calls.ts';
import { createPacer } from './rate-limiter.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** A function that calls the gateway and sends commands, as far as its wrapper and synth know it. */
interface GatewayRuntime extends Pick<Runtime<FunctionName>, 'log' | 'count' | 'now' | 'random' | 'secrets'> {
  readonly config: { readonly mode: Mode; readonly gateway: GatewayConnection; readonly requestsPerSecond: number };
  readonly env: Parameters<typeof openLedger>[0] &
    Readonly<Record<'TOKEN_SECRET_ARN' | 'EVENT_BUS_NAME' | 'STAGE_TIME_ZONE' | 'COMMANDS_QUEUE_URL', string>>;
}

/**
 * What such a function works with: its ledgers, the token, the gate and the probe that opens it,
 * the queue of commands, the bus. The gate is kept in the ledger of its mode.
 */
export function createGatewayAccess(runtime: GatewayRuntime) {
  const { env, log, count, now, random, config, secrets } = runtime;
  const { ledger, acting } = openLedger(env, config.mode);
  const token = createSecretToken({
    client: createSecretsManagerClient(),
    secretArn: env.TOKEN_SECRET_ARN,
    onToken(value, expiresAt) {
      secrets.add(value);
      if (expiresAt !== undefined) warnOfExpiry(expiresAt, runtime);
    },
  });
  const probe = createGatewayProbe({ ...config.gateway, token, log });
  const sqs = lazily(createSqsClient);
  const commandsQueue = createQueue(sqs, env.COMMANDS_QUEUE_URL);
  const ports = {
    ledger,
    gate: createGate({ ledger, probe, owner: randomUUID(), log, count, now, random }),
    commands: commandsOfMode(config.mode, commandsQueue),
    bus: createOutcomeBus(lazily(createEventBridgeClient), env),
  };
  const smoke = { ledger: () => ledger.read(ledgerKeys.gate()), token: () => token.get(), gateway: () => probe() };
  return { ports, acting, token, smoke, sqs, commandsQueue };
}

/** A client for a function that waits for its turn before each request. */
export function createPacedGateway({ config, log }: GatewayRuntime, tokenProvider: TokenProvider): GatewayClient {
  const pace = createPacer(config.requestsPerSecond);
  return createGatewayClient({ ...config.gateway, tokenProvider, pace, onRequest: requestLog(log) });
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

/** Two weeks: time to ask a vendor for another token. */
const warnedDays = 14;

/**
 * Warns of a token that expires, from two weeks before. Each environment warns as it fetches the
 * token, and Lambda ends environments every few hours.
 */
export function warnOfExpiry(
  expiresAt: string,
  { log, count, now }: Pick<Runtime<FunctionName>, 'log' | 'count' | 'now'>,
): void {
  const leftMs = Date.parse(expiresAt) - now().getTime();
  const isOdd = 'expiresAt of the token is no instant (RFC 3339): no alarm warns before it expires';
  if (Number.isNaN(leftMs)) return log.warn(logEvents.tokenExpires, isOdd);
  if (leftMs > warnedDays * dayMs) return;
  const daysLeft = Math.max(0, Math.floor(leftMs / dayMs));
  count(metricNames.tokenDaysLeft, daysLeft);
  const fields = { expiresAt, daysLeft };
  if (leftMs <= 0) log.error(logEvents.tokenExpires, `the token of the gateway expired at ${expiresAt}`, fields);
  else log.warn(logEvents.tokenExpires, `the token of the gateway expires at ${expiresAt}`, fields);
}
