import type { Agent as HttpAgent } from 'node:http';
import type { Agent } from 'node:https';
import type { AccessKey } from '../net/request-signature.ts';

/**
 * The address that a client calls, and its identity. A worker gives none: the environment of its
 * process decides.
 */
export interface ClientSettings {
  readonly region?: string;
  /** A profile of the AWS configuration files. */
  readonly profile?: string;
  readonly endpoint?: string;
  /** Or how to get it: asked before each request if it says that it has expired. */
  readonly credentials?: AccessKey | (() => Promise<AccessKey & { readonly expiration: Date }>);
  /** Makes the connections. @default direct ones */
  readonly requestHandler?: { readonly httpAgent?: HttpAgent; readonly httpsAgent?: Agent };
  /** False with an `endpoint`: a client refuses it together with FIPS or dual-stack addresses. */
  readonly useFipsEndpoint?: false;
  readonly useDualstackEndpoint?: false;
}

/**
 * Makes a client when it is first needed: a start that sends nothing pays for no sender
 * (docs/reference/performance.md).
 */
export function lazily<Client>(make: () => Client): () => Client {
  let made: Client | undefined;
  return () => (made ??= make());
}
