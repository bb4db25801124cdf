import { createSecretToken, type SecretToken } from '#shared/aws/token/secret-token.ts';
import { createSecretsManagerClient } from '#shared/aws/clients/secrets-manager-client.ts';
import type { FunctionName } from '#shared/vocabulary/function-names.ts';
import type { Runtime } from '../_handler/handlers.ts';
import { createExpiryWatch } from './token-expiry.ts';

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
