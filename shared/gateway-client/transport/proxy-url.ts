import { InvalidInputError } from '../failures/errors.ts';

/** Where a proxy listens. */
export interface ProxyAddress {
  /** An IPv6 address stands without its brackets. */
  readonly hostname: string;
  readonly port: number;
}

const field = 'proxy';

/**
 * Reads the address of an HTTP proxy: `http://` and a host, at most a port. The text itself is in no message, since it may hold a password.
 * @throws InvalidInputError
 */
export function parseProxyUrl(text: string): ProxyAddress {
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
