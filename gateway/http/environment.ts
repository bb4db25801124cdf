/** Every answer that is not a success, as one error and two JSON bodies. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { FaultRegistry } from '../faults/fault-registry.ts';
import type { ProfileName } from '../model/profile.ts';
import type { Store } from '../store/store.ts';

/** One reason of a 422: where, what, and a stable kind. */
export interface ValidationDetail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** To be thrown anywhere below the router, with its answer. */
export function refusal(
  status: ContentfulStatusCode,
  detail: string | readonly ValidationDetail[],
  headers: Readonly<Record<string, string>> = {},
): HTTPException {
  return new HTTPException(status, { res: Response.json({ detail }, { status, headers }) });
}

/** A 422 that names one field. */
export function invalidField(loc: readonly (string | number)[], msg: string, type: string): HTTPException {
  return refusal(422, [{ loc, msg, type }]);
}

/** A 404 that names what was asked for, by kind; the caller knows the id. */
export function notFound(kind: string): HTTPException {
  return refusal(404, `${kind} not found`);
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

  /** Whether the header `Authorization` has one of them. */
  admits(header: string | undefined): boolean {
    const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
    return token !== undefined && this.has(token);
  }
}

/** Asks for one of these tokens; the challenge says what is wrong with the header (RFC 6750). */
export function requireToken(tokens: TokenSet): MiddlewareHandler<GatewayEnvironment> {
  const realm = 'gateway';
  const challenge = (error: string): string => `Bearer realm="${realm}", error="${error}"`;
  return bearerAuth({
    realm,
    verifyToken: (token) => tokens.has(token),
    noAuthenticationHeader: { message: { detail: 'the header Authorization is missing' } },
    invalidAuthenticationHeader: {
      wwwAuthenticateHeader: challenge('invalid_request'),
      // The library's 400 is another answer than that of gateways in the field.
      message: () => refusal(401, 'the header Authorization is not "Bearer <token>"').getResponse(),
    },
    invalidToken: {
      wwwAuthenticateHeader: challenge('invalid_token'),
      message: { detail: 'the token is not valid' },
    },
  });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
