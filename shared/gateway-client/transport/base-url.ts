import { InvalidInputError } from '../failures/errors.ts';

/** A base URL taken apart. */
export interface BaseUrl {
  /** Scheme, host and port: the only origin that a request or the token ever goes to. */
  readonly origin: string;
  /** What precedes `/backend/v1` in each path: empty, or begins with a slash and ends without one. */
  readonly pathPrefix: string;
}

const field = 'baseUrl';

/** Reads the base URL: an exact origin and at most a path. The URL itself is in no message, since it may hold a password. */
export function parseBaseUrl(text: string): BaseUrl {
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

/** Says whether a host name, as URL gives it, is this very machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
