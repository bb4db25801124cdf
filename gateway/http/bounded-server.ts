/**
 * An HTTP server that waits a bounded time for each request, and answers what Node's parser refuses
 * before any router sees it.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * How long a request may take to arrive, headers and body. An honest request is at most 1 MiB. It
 * arrives in less than a second on this machine, and in a minute at 20 KB a second from elsewhere.
 * Shorter would meet honest requests of a machine that sleeps or swaps.
 */
const receiveMs = 60_000;

/**
 * Makes a server that ends a request which does not arrive in time, with a 408. Node's own limits,
 * 300 s checked every 30 s, let a slow body hold a connection for 330 s (Node.js documentation,
 * HTTP, `http.createServer`: `requestTimeout`, `connectionsCheckingInterval`).
 * @param limitMs - how long a request may take to arrive
 */
export function createBoundedServer(limitMs: number = receiveMs): Server {
  return createServer({
    requestTimeout: limitMs,
    // The headers come first and are 16 KB at most.
    headersTimeout: limitMs / 2,
    // So a request is ended within a tenth after its time.
    connectionsCheckingInterval: limitMs / 10,
  });
}

/**
 * Returns true if the request names its host in more than one line. A server must answer 400 then
 * (RFC 9112, section 3.2), since each part on the way could take another one of them for the host.
 * Node refuses a missing line by itself, and keeps the first of several.
 */
export function hasManyHosts({ headersDistinct }: IncomingMessage): boolean {
  return (headersDistinct['host']?.length ?? 0) > 1;
}

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** For the server's `clientError`: a JSON body like that of every other refusal. */
export function answerBadHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(socket, statuses[error.code ?? ''] ?? '400 Bad Request');
}

/** For the server's `connect`: this is no proxy. */
export function refuseConnect(_request: unknown, socket: Duplex): void {
  refuse(socket, '400 Bad Request');
}

function refuse(socket: Duplex, status: string): void {
  const body = JSON.stringify({ detail: status.slice(4) });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
