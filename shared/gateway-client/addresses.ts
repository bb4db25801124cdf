/** The addresses of the gateway and of its proxy, as a configuration has them. */
import { isLoopback } from '../net/loopback.ts';
import { InvalidInputError } from './failures/errors.ts';
import type { ProxyAddress } from './transport/connectors.ts';

/** A base URL taken apart. */
export interface BaseUrl {
  /** Scheme, host and port: the only origin that a request or the token ever goes to. */
  readonly origin: string;
  /**
   * What precedes `/backend/v1` in each path: empty, or begins with a slash and ends without one.
   */
  readonly pathPrefix: string;
}

/**
 * Reads the base URL: an exact origin and at most a path. It is in no message itself, since it may
 * hold a password.
 */
export function parseBaseUrl(text: string): BaseUrl {
  const field = 'baseUrl';
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text) || /[\s\\]/.test(text))
    throw new InvalidInputError(field, 'must be an absolute http(s) URL');
  const url = new URL(text);
  if (!isSafe(url)) {
    throw new InvalidInputError(field, 'must begin with https:// (http:// only for 127.0.0.0/8, [::1] and localhost)');
  }
  if (/^[^/]*\/\/[^/]*@/.test(text) || `${url.username}${url.password}` !== '')
    throw new InvalidInputError(field, 'must not hold a user or a password');
  if (text.includes('?') || text.includes('#')) {
    throw new InvalidInputError(field, 'must not hold a query or a fragment');
  }
  const pathPrefix = url.pathname.replace(/\/+$/, '');
  if (pathPrefix.endsWith('/backend/v1')) {
    throw new InvalidInputError(field, 'must end before /backend/v1, which every path begins with');
  }
  return { origin: url.origin, pathPrefix };
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/**
 * Reads the address of an HTTP proxy: `http://` and a host, at most a port.
 * @throws InvalidInputError
 */
export function parseProxyUrl(text: string): ProxyAddress {
  const field = 'proxy';
  if (!URL.canParse(text) || /[\s\\]/.test(text)) throw new InvalidInputError(field, 'must be an absolute URL');
  const url = new URL(text);
  if (url.protocol !== 'http:') {
    throw new InvalidInputError(
      field,
      'must begin with http:// (what goes through it is the TLS connection to the gateway, which it cannot read)',
    );
  }
  if (url.username !== '' || url.password !== '' || text.includes('@')) {
    throw new InvalidInputError(
      field,
      'must not hold a user or a password: it is text that ships with every function; let the proxy know its clients by their network',
    );
  }
  if (url.pathname !== '/' || text.includes('?') || text.includes('#')) {
    throw new InvalidInputError(field, 'must end after its host and port');
  }
  return { hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? 80 : Number(url.port) };
}
