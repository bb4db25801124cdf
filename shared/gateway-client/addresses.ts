/** The addresses of the gateway and of its proxy. No problem repeats one: it may hold a password. */
import { isLoopback } from '../net/loopback.ts';
import { type Parsed, parsed, parseProblem } from '../schedule/duration.ts';
import type { ProxyAddress } from './transport/connectors.ts';

/** A base URL taken apart. */
interface BaseUrl {
  /** Scheme, host and port: the only origin that a request or the token ever goes to. */
  readonly origin: string;
  /**
   * What precedes `/backend/v1` in each path: empty, or begins with a slash and ends without one.
   */
  readonly pathPrefix: string;
}

/** Reads the base URL: an exact origin and at most a path. */
export function parseBaseUrl(text: string): Parsed<BaseUrl> {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text) || /[\s\\]/.test(text))
    return parseProblem('must be an absolute http(s) URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    return parseProblem('must begin with https:// (http:// only for 127.0.0.0/8, [::1] and localhost)');
  if (/^[^/]*\/\/[^/]*@/.test(text) || `${url.username}${url.password}` !== '')
    return parseProblem('must not hold a user or a password');
  if (text.includes('?') || text.includes('#')) return parseProblem('must not hold a query or a fragment');
  const pathPrefix = url.pathname.replace(/\/+$/, '');
  if (pathPrefix.endsWith('/backend/v1'))
    return parseProblem('must end before /backend/v1, which every path begins with');
  return parsed({ origin: url.origin, pathPrefix });
}

/** Reads the address of an HTTP proxy: `http://` and a host, at most a port. */
export function parseProxyUrl(text: string): Parsed<ProxyAddress> {
  if (!URL.canParse(text) || /[\s\\]/.test(text)) return parseProblem('must be an absolute URL');
  const url = new URL(text);
  if (url.protocol !== 'http:') {
    return parseProblem(
      'must begin with http:// (what goes through it is the TLS connection to the gateway, which it cannot read)',
    );
  }
  if (url.username !== '' || url.password !== '' || text.includes('@')) {
    return parseProblem(
      'must not hold a user or a password: it is text that ships with every function; let the proxy know its clients by their network',
    );
  }
  if (url.pathname !== '/' || text.includes('?') || text.includes('#'))
    return parseProblem('must end after its host and port');
  return parsed({
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 80 : Number(url.port),
  });
}

/** Checks the base URL of a configuration, and gives it in its shortest form. */
export function checkBaseUrl(text: string, options: { readonly isLocalStage: boolean }): Parsed<string> {
  const read = parseBaseUrl(text);
  if (!read.ok) return parseProblem(`${read.problem}, such as "https://gateway.example.com".`);
  const { origin, pathPrefix } = read.value;
  if (options.isLocalStage || !isThisMachine(new URL(origin).hostname)) return parsed(`${origin}${pathPrefix}`);
  return parseProblem(
    'is this very machine (loopback), which only a local stage can reach; write the https:// address of the gateway.',
  );
}

/** Every name and address by which a machine reaches itself. */
function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || /(?:^|\.)localhost\.?$|^0\.0\.0\.0$|^\[::\]$|^\[::ffff:(?:7f|0:)/.test(hostname);
}

/** Checks the proxy of a configuration. */
export function checkProxy(text: string): Parsed<unknown> {
  const read = parseProxyUrl(text);
  return read.ok ? read : parseProblem(`${read.problem}, such as "http://proxy.example.com:3128".`);
}
