/** Bearer authentication with tokens that can be rotated while the gateway runs. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { HttpProblem } from './problem.ts';

/** The tokens that are good right now; only their digests are kept. */
export class TokenSet {
  #digests: readonly Buffer[] = [];

  constructor(tokens: readonly string[]) {
    this.replace(tokens);
  }

  /** From now on these tokens and no others. */
  replace(tokens: readonly string[]): void {
    this.#digests = tokens.map((token) => digest(token));
  }

  has(token: string): boolean {
    const asked = digest(token);
    return this.#digests.some((known) => timingSafeEqual(known, asked));
  }
}

/** Throws the 401 that says what is wrong with the header, in the challenge's own words (RFC 6750). */
export function authenticate(header: string | undefined, tokens: TokenSet): void {
  const realm = 'Bearer realm="gateway"';
  if (header === undefined) throw unauthorized('the header Authorization is missing', realm);
  const token = /^bearer +(?<token>[\w.~+/-]+=*) *$/iu.exec(header)?.groups?.['token'];
  if (token === undefined) {
    throw unauthorized('the header Authorization is not "Bearer <token>"', `${realm}, error="invalid_request"`);
  }
  if (!tokens.has(token)) throw unauthorized('the token is not valid', `${realm}, error="invalid_token"`);
}

function unauthorized(detail: string, challenge: string): HttpProblem {
  return new HttpProblem(401, detail, { 'www-authenticate': challenge });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
