import { readToken } from '../../shared/aws/secret-token.ts';
import { createSecretsManagerClient } from '../../shared/aws/secrets-manager-client.ts';
import { connectionOf } from '../../shared/gateway-client/index.ts';
import { createGatewayWithin } from '../_runtime/gateway-within.ts';
import type { Runtime } from '../_runtime/handlers.ts';
import type { TokenDeps } from './answer-token.ts';

/** What an answer about the token needs of this environment, made anew for each question: no worker uses what it reads. */
export function createTokenTrial(
  { env, config, log, secrets }: Pick<Runtime<'update-campaign-runs'>, 'env' | 'config' | 'log' | 'secrets'>,
  asked: Pick<TokenDeps, 'rateLimiter' | 'remainingMs'>,
): TokenDeps {
  return {
    ...asked,
    config,
    async fetchToken(versionId) {
      const found = await readToken(createSecretsManagerClient(), env.TOKEN_SECRET_ARN, versionId);
      secrets.add(found.token);
      return found;
    },
    trialOf(token) {
      const tokenProvider = { get: async () => token, refresh: async () => token };
      return createGatewayWithin({ ...connectionOf(config.gateway), tokenProvider, log })(asked.remainingMs());
    },
  };
}
