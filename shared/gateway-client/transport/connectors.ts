import { request, type RequestOptions } from 'node:http';
import type { Socket, TcpSocketConnectOpts } from 'node:net';
import type { buildConnector } from 'undici';
import { isOwnListener } from '../../net/connection-owner.ts';

/**
 * Keeps the token from another user of this machine who listens on the port of a gateway that is
 * down.
 */
export function toOwnListener(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      if (isOwnListener(socket)) return callback(null, socket);
      socket.destroy();
      const what = `what listens at ${options.hostname}:${options.port} runs as another user of this machine`;
      callback(coded(`${what}: run the gateway as yourself, or over https`, 'FOREIGN_LISTENER'), null);
    });
  };
}

/** Node gives each address of a host 250 ms before it tries the next: less than a far or busy one needs. */
export const eachAddressMs = 1000;

export interface ProxyAddress {
  /** An IPv6 address stands without its brackets. */
  readonly hostname: string;
  readonly port: number;
}

/**
 * An error with a code that tells it apart. Nothing of the request has left: it is opened
 * afterwards only.
 */
function coded(message: string, code: string, options: ErrorOptions = {}): Error {
  return Object.assign(new Error(message, options), { code });
}

/**
 * Lets a connector reach its origin through an HTTP proxy. CONNECT makes a tunnel, and inside it
 * the connector does its own work: TLS with the origin. The proxy learns host and port. Each
 * connection has a tunnel of its own, so that a fresh one is fresh all the way.
 *
 * undici's ProxyAgent is not used. It waits five minutes for CONNECT, and sends plain HTTP, token included,
 * to the proxy without a tunnel.
 * @param timeoutMs - for the tunnel; the connector has its own time after that
 */
export function throughProxy(
  proxy: ProxyAddress,
  connect: buildConnector.connector,
  timeoutMs: number,
): buildConnector.connector {
  return (options, callback) => {
    openTunnel(proxy, authorityOf(options), timeoutMs, (error, socket) => {
      if (socket === null) callback(error, null);
      else if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}

function authorityOf({ host, hostname, port, protocol }: buildConnector.Options): string {
  if (port !== '') return host ?? `${hostname}:${port}`;
  return `${host ?? hostname}:${protocol === 'https:' ? 443 : 80}`;
}

type TunnelCallback = (...result: [error: Error, socket: null] | [error: null, socket: Socket]) => void;

/** Calls back once, at the first of the events. */
function openTunnel(proxy: ProxyAddress, authority: string, timeoutMs: number, callback: TunnelCallback): void {
  const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    agent: false,
    autoSelectFamilyAttemptTimeout: eachAddressMs,
  };
  const asking = request(options);
  let isOver = false;
  const end = (...result: Parameters<TunnelCallback>) => {
    clearTimeout(timer);
    if (!isOver) callback(...result);
    isOver = true;
  };
  const timer = setTimeout(() => {
    end(coded(`the proxy made no tunnel within ${timeoutMs} ms`, 'PROXY_TUNNEL'), null);
    asking.destroy();
  }, timeoutMs);

  asking.on('connect', ({ statusCode = 0 }, socket, head) => {
    const refusal = refusalOf(statusCode, head);
    if (refusal === undefined) return end(null, socket);
    socket.on('error', () => {}).destroy(); // what it says about its end is of no use any more
    end(coded(refusal, noWay.has(statusCode) ? 'PROXY_NO_WAY' : 'PROXY_TUNNEL'), null);
  });
  asking.on('error', (error) => {
    end(coded(`the proxy cannot be used: ${error.message}`, 'PROXY_TUNNEL', { cause: error }), null);
  });
  asking.end();
}

/**
 * The gateway errors of RFC 9110 (15.6.3 to 15.6.5): the proxy is willing and finds no way to the
 * origin.
 */
const noWay: ReadonlySet<number> = new Set([502, 503, 504]);

function refusalOf(status: number, head: Buffer): string | undefined {
  if (status === 407) return 'the proxy answered 407: it asks for credentials, and none are ever sent to it';
  if (status < 200 || status > 299) return `the proxy answered ${status} and made no tunnel`;
  // The gateway speaks after its client: any byte here is not from it.
  return head.length > 0 ? 'the proxy sent something of its own into the tunnel' : undefined;
}
