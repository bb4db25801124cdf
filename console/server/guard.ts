/**
 * The check before every path of the console, the page and its streams too. A request comes from
 * this console's own page in a browser of the same user, or it is refused. It looks at the request
 * as it came, before a router or a parser of addresses changes it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isOwnCaller } from '#shared/net/connection-owner.ts';

/** What the guard reads of a request. */
type GuardedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headersDistinct'>;

/**
 * Says why a request is refused; `undefined` if it passes. Pure.
 * A page of another site can lead its own name to 127.0.0.1 (DNS rebinding). So `Host` is compared
 * with a constant list, and never with `Origin`. Both headers are set by browsers and cannot be
 * forged by a page (Fetch Standard, "Forbidden request-header").
 * @param port - the port of this console
 */
function refusalOf({ method, url, headersDistinct }: GuardedRequest, port: number): string | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  const hosts = headersDistinct['host'] ?? [];
  const [host = ''] = hosts;
  if (hosts.length !== 1 || !names.includes(host)) {
    return `the console answers only under ${names.join(' and ')}: open the address that it printed`;
  }
  const origins = headersDistinct['origin'] ?? [];
  if (!origins.every((origin) => names.some((name) => origin === `http://${name}`))) {
    return 'another page asked: only the page of this console may';
  }
  const sites = headersDistinct['sec-fetch-site'] ?? [];
  const isOpened = method === 'GET' && url === '/';
  if (!sites.every((site) => site === 'same-origin' || (site === 'none' && isOpened))) {
    return 'another page led here: open the address that the console printed yourself';
  }
  return undefined;
}

/** On every answer. Texts of the ledger are the work of others: no script but our own runs, and no text becomes markup. */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/**
 * Puts the guard before a listener.
 * @param portOf - known once the server listens
 */
export function guarded(listener: RequestListener, portOf: () => number): RequestListener {
  return (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const refusal = refusalOf(request, portOf());
    if (refusal !== undefined) return refuse(response, refusal);
    // The connection of another user ends by keepToOwner.
    void isOwnCaller(request.socket).then((isOwn) => (isOwn ? listener(request, response) : undefined));
  };
}

/** What the request may have sent is not read. */
function refuse(response: ServerResponse, message: string): void {
  response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ problem: { code: 'REFUSED', message } }));
}
