import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { AppError, toError } from '../errors/app-error.ts';
import { assertBearerToken } from '../gateway-client/bearer-token.ts';

/**
 * The gateway's token: fetched once per environment, and again when the gateway refuses it. What it throws says by `retryable` whether it
 * heals by itself.
 */
export interface SecretToken {
  /** The token as last fetched. @throws NoTokenError when the secret holds none, TokenDeniedError when it may not be read */
  readonly get: () => Promise<string>;
  /** Fetches it again; calls at the same time share one request. */
  readonly refresh: () => Promise<string>;
}

/** The secret exists and nobody has put a token into it, or what is in it is none. */
export class NoTokenError extends AppError {
  override readonly name = 'NoTokenError';

  constructor(detail: string) {
    super(`no token for the gateway: ${detail}`, { code: 'NO_TOKEN', retryable: false });
  }
}

/** We may not read the secret, or not use the key that it is encrypted with. */
export class TokenDeniedError extends AppError {
  override readonly name = 'TokenDeniedError';

  constructor(cause: Error) {
    super(`the secret of the gateway's token cannot be read: ${cause.name}`, {
      code: 'TOKEN_DENIED',
      retryable: false,
      cause,
    });
  }
}

/**
 * The token in Secrets Manager: the plain secret string, or `{"token": "…", "expiresAt": "RFC 3339"}`.
 * @param onToken - told each token that is fetched, so that the log can redact it, and when it expires where the secret says so
 */
export function createSecretToken(options: {
  readonly client: SecretsManagerClient;
  readonly secretArn: string;
  readonly onToken?: (token: string, expiresAt: string | undefined) => void;
}): SecretToken {
  const { client, secretArn, onToken } = options;
  let fetching: Promise<string> | undefined;
  let fetched: string | undefined;

  async function fetchToken(): Promise<string> {
    const { token, expiresAt } = tokenIn(await readSecret(client, secretArn));
    onToken?.(token, expiresAt);
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
    if (error instanceof Error && deniedNames.has(error.name)) throw new TokenDeniedError(error);
    throw error;
  }
}

/** What Secrets Manager answers where a person must act; a key that is disabled is a DecryptionFailure. */
const deniedNames: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidRequestException',
  'UnrecognizedClientException',
]);

interface TokenInSecret {
  readonly token: string;
  readonly expiresAt?: string;
}

function tokenIn(secret: string): TokenInSecret {
  const found = readToken(secret.trim());
  // A token that no header can hold is never handed out. The rule is said, the value is not.
  try {
    assertBearerToken(found.token);
  } catch (error) {
    throw new NoTokenError(toError(error).message);
  }
  return found;
}

function readToken(text: string): TokenInSecret {
  if (text === '') throw new NoTokenError('the secret is empty');
  if (!text.startsWith('{')) return { token: text };
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
    const expiresAt = 'expiresAt' in parsed && typeof parsed.expiresAt === 'string' ? parsed.expiresAt : undefined;
    return { token: parsed.token.trim(), ...(expiresAt === undefined ? {} : { expiresAt }) };
  }
  throw new NoTokenError('the secret is JSON without a text field "token"');
}
