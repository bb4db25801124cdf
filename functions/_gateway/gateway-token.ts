import { createSecretToken, type SecretToken } from '#shared/aws/token/secret-token.ts';
import { createSecretsManagerClient } from '#shared/aws/clients/secrets-manager-client.ts';
import type { FunctionName } from '#shared/vocabulary/function-names.ts';
import type { Runtime } from '../_handler/handlers.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Log } from '../_handler/log.ts';
import type { Metrics } from '../_handler/metrics.ts';

/**
 * The gateway's token as one environment of a function uses it: kept out of the log, and warned of before it expires.
 * @example const token = createGatewayToken(runtime, runtime.env.TOKEN_SECRET_ARN);
 */
export function createGatewayToken(
  runtime: Pick<Runtime<FunctionName>, 'log' | 'count' | 'now' | 'secrets'>,
  secretArn: string,
): SecretToken {
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
 * Warns of a token that expires, from two weeks before: once a day from each environment, however often it is asked.
 * @returns a function that takes the `expiresAt` of the token in hand
 */
export function createExpiryWatch(options: {
  readonly log: Log;
  readonly count: Metrics['count'];
  readonly now: () => Date;
}): (expiresAt: string) => void {
  const { log, count, now } = options;
  let warnedOn: string | undefined;

  return (expiresAt) => {
    const today = now().toISOString().slice(0, 10);
    if (today === warnedOn) return;
    const leftMs = Date.parse(expiresAt) - now().getTime();
    if (leftMs > warnedDays * dayMs) return;

    warnedOn = today;
    if (Number.isNaN(leftMs)) {
      log.warn(
        logEvents.tokenExpires,
        'expiresAt of the token is no instant (RFC 3339): nobody is warned before it expires',
      );
      return;
    }
    const daysLeft = Math.max(0, Math.floor(leftMs / dayMs));
    count(metricNames.tokenDaysLeft, daysLeft);
    const fields = { expiresAt, daysLeft };
    if (leftMs <= 0) log.error(logEvents.tokenExpires, `the token of the gateway expired at ${expiresAt}`, fields);
    else log.warn(logEvents.tokenExpires, `the token of the gateway expires at ${expiresAt}`, fields);
  };
}
