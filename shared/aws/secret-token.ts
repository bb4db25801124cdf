import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { AppError, toError } from '../errors/app-error.ts';
import { assertBearerToken } from '../gateway-client/operation.ts';
import type { TokenProvider } from '../gateway-client/client.ts';
import type { ClientSettings } from './client-settings.ts';

/**
 * The token in Secrets Manager: the plain secret string, or
 * `{"token": "…", "expiresAt": "RFC 3339"}`.
 * @param onToken - gets each token that is fetched, so that the log can redact it, and its expiry
 *   if the secret says so
 */
export function createSecretToken(options: {
  readonly client: SecretsManagerClient;
  readonly secretArn: string;
  readonly onToken?: (token: string, expiresAt: string | undefined) => void;
}): TokenProvider {
  const { client, secretArn, onToken } = options;
  let fetching: Promise<string> | undefined;
  let fetched: string | undefined;

  async function fetchToken(): Promise<string> {
    const { token, expiresAt } = await readToken(client, secretArn);
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

/**
 * Reads the secret once.
 * @param versionId - a version that is not in use yet; absent: the one that every worker reads
 * @throws NoTokenError, DeletedSecretError, AppError with `TOKEN_DENIED`, and any other error of Secrets Manager
 */
export async function readToken(
  client: SecretsManagerClient,
  secretArn: string,
  versionId?: string,
): Promise<TokenInSecret> {
  return tokenInSecret(await readSecret(client, secretArn, versionId));
}

async function readSecret(client: SecretsManagerClient, secretArn: string, versionId?: string): Promise<string> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: secretArn, VersionId: versionId }));
    return answer.SecretString ?? Buffer.from(answer.SecretBinary ?? []).toString('utf8');
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      throw new NoTokenError('the secret has no value yet');
    }
    throwIfDeleted(error, secretArn);
    if (error instanceof Error && deniedNames.has(error.name)) {
      const message = `the secret of the gateway's token cannot be read: ${error.name}`;
      throw new AppError(message, { code: 'TOKEN_DENIED', retryable: false, cause: error });
    }
    throw error;
  }
}

/** The secret is marked for deletion: until its last day it can be restored, and nothing else. */
export class DeletedSecretError extends AppError {
  override readonly name = 'DeletedSecretError';
  /** The words of the command that restores it. */
  readonly restoring: readonly string[];

  constructor(secretArn: string, cause: unknown) {
    const restoring = ['aws', 'secretsmanager', 'restore-secret', '--secret-id', secretArn];
    const says = `the secret of the gateway's token is marked for deletion; restore it: ${restoring.join(' ')}`;
    super(says, { code: 'TOKEN_DELETED', retryable: false, cause });
    this.restoring = restoring;
  }
}

/** @throws DeletedSecretError if that is what Secrets Manager says, in words alone: its name is that of other refusals too */
export function throwIfDeleted(error: unknown, secretArn: string): void {
  const isDeleted = error instanceof Error && error.name === 'InvalidRequestException' && /delet/i.test(error.message);
  if (isDeleted) throw new DeletedSecretError(secretArn, error);
}

/** What Secrets Manager answers if a person must act, also about a key that is disabled. */
const deniedNames: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidRequestException',
  'UnrecognizedClientException',
]);

/** What the secret holds: the plain token, or `{"token": "…", "expiresAt": "RFC 3339"}`. */
export interface TokenInSecret {
  readonly token: string;
  readonly expiresAt?: string;
}

/** The secret exists and holds no token yet, or what is in it is none. */
export class NoTokenError extends AppError {
  override readonly name = 'NoTokenError';
  /** What is wrong with the secret, in a sentence; never its value. */
  readonly detail: string;

  constructor(detail: string) {
    super(`no token for the gateway: ${detail}; autopilot token set puts one in`, {
      code: 'NO_TOKEN',
      retryable: false,
    });
    this.detail = detail;
  }
}

/**
 * Reads the text of the secret, also what a person wants to put there.
 * @throws NoTokenError which says the rule and never the value
 */
export function tokenInSecret(secret: string): TokenInSecret {
  const found = parseToken(secret.trim());
  // A token that no header can hold is never handed out.
  try {
    assertBearerToken(found.token);
  } catch (error) {
    throw new NoTokenError(toError(error).message);
  }
  return found;
}

/** The text to put into the secret. */
export function secretOfToken({ token, expiresAt }: TokenInSecret): string {
  return expiresAt === undefined ? token : JSON.stringify({ token, expiresAt });
}

function parseToken(text: string): TokenInSecret {
  if (text === '') throw new NoTokenError('the secret is empty');
  if (/^(["']).*\1$/s.test(text)) throw new NoTokenError('the token stands in quotes: leave them out');
  if (!text.startsWith('{')) return { token: text };
  const fields = fieldsOf(text);
  const token = fields.get('token');
  if (typeof token === 'string' && token.trim() !== '')
    return { token: token.trim(), expiresAt: instantOf(fields.get('expiresAt')) };
  if (fields.has('access_token'))
    throw new NoTokenError('the secret is JSON with "access_token": write that field as "token"');
  throw new NoTokenError('the secret is JSON without a text field "token"');
}

function fieldsOf(json: string): ReadonlyMap<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(json);
    return new Map(Object.entries(parsed ?? {}));
  } catch {
    // The parser's own message would quote the secret.
    throw new NoTokenError('the secret looks like JSON and is not');
  }
}

/** RFC 3339, or seconds since 1970 as tokens have them. What no date can hold stays as it is, and is warned of. */
function instantOf(given: unknown): string | undefined {
  if (typeof given !== 'number') return typeof given === 'string' ? given : undefined;
  const at = new Date(given * 1000);
  return Number.isNaN(at.getTime()) ? String(given) : at.toISOString();
}

export function createSecretsManagerClient(settings: ClientSettings = {}): SecretsManagerClient {
  return new SecretsManagerClient(settings);
}
