/** Starts the gateway in this process: for `npm run gateway`, for the local run, and for tests. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { answerTo, createApp } from './app.ts';
import { isOwnAddress } from './control/loopback-guard.ts';
import { FaultRegistry } from './faults/fault-registry.ts';
import { TokenSet } from './http/bearer.ts';
import { HttpProblem } from './http/problem.ts';
import type { GatewayParts } from './parts.ts';
import { runPolicy, type RunPolicyOptions } from './run-policy.ts';
import { seed } from './seed/seed.ts';
import { Store } from './store/store.ts';
import type { Duplex } from 'node:stream';

/** How to start it. */
export interface GatewayOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** @default 127.0.0.1; the control surface is served on loopback addresses only */
  readonly host?: string;
  /** The file that holds the state, or `:memory:`. An empty one is seeded. */
  readonly database: string;
  /** The bearer tokens that are good; with none, every request gets a 401. */
  readonly tokens: readonly string[];
  /** What status words mean. @default permissive */
  readonly runs?: RunPolicyOptions;
  /** The gateway's clock. @default the system's */
  readonly now?: () => Date;
}

/** A gateway that listens. */
export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  /** From now on these tokens are good and no others. */
  setTokens(tokens: readonly string[]): void;
  /** Destroys every connection, lets what is being written finish, and closes the database. */
  close(): Promise<void>;
}

/**
 * Starts a gateway and resolves when it listens.
 *
 * @example
 * const gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['secret'] });
 * await fetch(`${gateway.url}/backend/v1/endpoints`, { headers: { authorization: 'Bearer secret' } });
 * await gateway.close();
 */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { host = '127.0.0.1', now = () => new Date() } = options;
  const policy = runPolicy(options.runs);
  const closing = new AbortController();
  const server = createServer();
  await listen(server, options.port, host);

  const store = openStore(server, options.database, policy);
  const tokens = new TokenSet(options.tokens);
  const faults = new FaultRegistry(() => performance.now());
  const parts: GatewayParts = { store, tokens, faults, policy, now, closing: closing.signal };
  const address = server.address() as AddressInfo;
  const inFlight = serve(server, createApp(parts, isOwnAddress(address.address)));

  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    setTokens: (next) => tokens.replace(next),
    close: once(async () => {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await Promise.allSettled(inFlight);
      store.close();
    }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The port is taken first, so that a second gateway on the same port never touches the first one's file. */
function openStore(server: Server, path: string, policy: GatewayParts['policy']): Store {
  try {
    const store = new Store(path, policy);
    if (store.isEmpty) seed(store);
    return store;
  } catch (error) {
    server.close();
    throw error;
  }
}

/** Connects the router to the server, and answers the requests that are being served. */
function serve(server: Server, app: ReturnType<typeof createApp>): ReadonlySet<Promise<unknown>> {
  const inFlight = new Set<Promise<unknown>>();
  const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    overrideGlobalObjects: false, // this process is a guest's: its Request and Response stay its own
    errorHandler: (error) =>
      error instanceof Error && error.name === 'RequestError'
        ? new HttpProblem(400, 'the request is not well-formed HTTP').toResponse()
        : answerTo(error),
  });
  server.on('request', (incoming, outgoing) => {
    const served = listener(incoming, outgoing).finally(() => inFlight.delete(served));
    inFlight.add(served);
  });
  server.on('clientError', answerBadHttp);
  server.on('connect', refuseConnect);
  return inFlight;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}

/** Answers what node's HTTP parser refuses before any router sees it, with a JSON body like every other refusal. */

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** For the server's `clientError`. */
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
