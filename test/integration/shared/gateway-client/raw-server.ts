import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** One request as it arrived. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** 1 for the first request to this server. */
  readonly number: number;
  /** 1 for the first connection to this server. */
  readonly connection: number;
}

/** A server on the bare socket, so that a test can break every rule of HTTP. */
export interface RawServer {
  readonly port: number;
  readonly baseUrl: string;
  readonly requests: readonly RawRequest[];
  /** Connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Answers a request, well or badly. */
export type Respond = (socket: Socket, request: RawRequest) => void;

/** How the server listens. */
export interface RawServerOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly onConnection?: (socket: Socket, connection: number) => void;
  /** @default a free port of 127.0.0.1 */
  readonly at?: { readonly host: string; readonly port: number };
}

export async function startRawServer(respond: Respond, options: RawServerOptions = {}): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const onSocket = (socket: Socket): void => {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Resets are what these tests are about.
    socket.on('error', () => {});
    options.onConnection?.(socket, connection);
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (;;) {
        const parsed = takeRequest(received);
        if (parsed === undefined) return;
        received = parsed.rest;
        const request = { ...parsed.request, number: requests.length + 1, connection };
        requests.push(request);
        respond(socket, request);
      }
    });
  };
  const server: Server = options.tls === undefined ? createServer(onSocket) : createTlsServer(options.tls, onSocket);
  const { host, port: wantedPort } = options.at ?? { host: '127.0.0.1', port: 0 };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wantedPort, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

type Parsed = { readonly request: Omit<RawRequest, 'number' | 'connection'>; readonly rest: string };

function takeRequest(received: string): Parsed | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [requestLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? 0);
  if (received.length < end + 4 + length) return undefined;
  const [method = '', path = ''] = requestLine.split(' ');
  const body = received.slice(end + 4, end + 4 + length);
  return { request: { method, path, headers, body }, rest: received.slice(end + 4 + length) };
}

/** A whole answer as text. */
export function answerText(status: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Whatever`, ...lines, '', body].join('\r\n');
}

/** Sends a whole JSON answer and keeps the connection. */
export function sendJson(
  socket: Socket,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  socket.write(answerText(status, JSON.stringify(value), headers));
}
