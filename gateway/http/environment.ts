/** Every answer that is not a success, as one error class and two JSON bodies. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { FaultRegistry } from '../faults/fault-registry.ts';
import type { ProfileName } from '../model/profile.ts';
import type { Store } from '../store/store.ts';

/** One reason of a 422: where, what, and a stable kind. */
export interface ValidationDetail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Thrown anywhere below the router; the router turns it into the answer. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly detail: string | readonly ValidationDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly ValidationDetail[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : 'the request fails validation');
    this.name = 'HttpProblem';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json({ detail: this.detail }, { status: this.status, headers: this.headers });
  }
}

/** A 422 that names one field. */
export function invalidField(loc: readonly (string | number)[], msg: string, type: string): HttpProblem {
  return new HttpProblem(422, [{ loc, msg, type }]);
}

/** A 404 that names what was asked for, by kind; the caller knows the id. */
export function notFound(kind: string): HttpProblem {
  return new HttpProblem(404, `${kind} not found`);
}

/** A 405 with the methods that would do. */
export function methodNotAllowed(allowed: readonly string[]): HttpProblem {
  return new HttpProblem(405, 'Method Not Allowed', { allow: allowed.join(', ') });
}

// What the operations and the control surface are handed.

/** The gateway's parts, built once by `startGateway`. */
export interface GatewayParts {
  readonly store: Store;
  readonly tokens: TokenSet;
  readonly faults: FaultRegistry;
  readonly profile: ProfileName;
  readonly now: () => Date;
  /** Hears of an error that became a 500. */
  readonly onDefect: (error: unknown) => void;
  /** Aborted when the gateway closes: every wait ends. */
  readonly closing: AbortSignal;
}

// What travels with one request through the router.

/** The router's environment: node's own request and response, and what the middleware found out. */
export interface GatewayEnvironment {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The body as it was read, once; kept for the request log. */
    bodyText: string | undefined;
    /** The fault that struck this request, and the status it sent, if any. */
    struck: { readonly fault: string; readonly status: number | null } | undefined;
  };
}

// Bearer authentication with tokens that can be rotated while the gateway runs.

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

/**
 * Throws the 401 that says what is wrong with the header, in the challenge's own words (RFC 6750).
 */
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
