import { AppError, toError } from '../../errors/app-error.ts';
import { assertBearerToken } from '../../gateway-client/bearer-token.ts';

/** What the secret holds: the plain token, or `{"token": "…", "expiresAt": "RFC 3339"}`. */
export interface TokenInSecret {
  readonly token: string;
  readonly expiresAt?: string;
}

/** The secret exists and nobody has put a token into it, or what is in it is none. */
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
 * Reads the text of the secret: also what a person wants to put there, so that nothing is put there that no worker can read.
 * @throws NoTokenError which says the rule and never the value
 */
export function tokenInSecret(secret: string): TokenInSecret {
  const found = readToken(secret.trim());
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
    return { token: parsed.token.trim(), expiresAt };
  }
  throw new NoTokenError('the secret is JSON without a text field "token"');
}
