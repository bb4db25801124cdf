import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { AppError } from '../errors/app-error.ts';

/** The gateway's token: fetched once per environment, and again when the gateway refuses it. */
export interface SecretToken {
  /** The token as last fetched. @throws NoTokenError when the secret has no value */
  readonly get: () => Promise<string>;
  /** Fetches it again; calls at the same time share one request. */
  readonly refresh: () => Promise<string>;
}

/** The secret exists and nobody has put a token into it, or what is in it is none. */
export class NoTokenError extends AppError {
  override readonly name = 'NoTokenError';

  constructor(detail: string) {
    super(`no token for the gateway: ${detail}`, { code: 'NO_TOKEN', retryable: true });
  }
}

/**
 * The token in Secrets Manager: the plain secret string, or `{"token": "…"}`.
 * @param onToken - told each token that is fetched, so that the log can redact it
 */
export function createSecretToken(options: {
  readonly client: SecretsManagerClient;
  readonly secretArn: string;
  readonly onToken?: (token: string) => void;
}): SecretToken {
  const { client, secretArn, onToken } = options;
  let fetching: Promise<string> | undefined;
  let fetched: string | undefined;

  async function fetchToken(): Promise<string> {
    const token = tokenIn(await readSecret(client, secretArn));
    onToken?.(token);
    fetched = token;
    return token;
  }

  async function refresh(): Promise<string> {
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  return { get: async () => fetched ?? refresh(), refresh };
}

async function readSecret(client: SecretsManagerClient, secretArn: string): Promise<string> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
    return answer.SecretString ?? '';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      throw new NoTokenError('the secret has no value yet; put the token into it');
    }
    throw error;
  }
}

function tokenIn(secret: string): string {
  const text = secret.trim();
  if (text === '') throw new NoTokenError('the secret is empty');
  if (!text.startsWith('{')) return text;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own message would quote the secret.
    throw new NoTokenError('the secret looks like JSON and is not');
  }
  if (
    typeof parsed === 'object' &&
    parsed !== null &&
    'token' in parsed &&
    typeof parsed.token === 'string' &&
    parsed.token.trim() !== ''
  ) {
    return parsed.token.trim();
  }
  throw new NoTokenError('the secret is JSON without a text field "token"');
}
