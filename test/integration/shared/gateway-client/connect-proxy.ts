import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** What the proxy makes of a CONNECT. */
export type TunnelAnswer =
  | 'tunnel'
  /** A tunnel whose first bytes from the client break it off: in the TLS handshake. */
  | 'tunnel-then-reset'
  /** Never an answer. */
  | 'hold'
  /** RST instead of an answer. */
  | 'reset'
  /** A 200 with bytes of its own behind it. */
  | 'greet'
  /** A refusal with this status. */
  | number;

/** An outbound proxy that knows CONNECT alone, and leads every name to one port of 127.0.0.1. */
export interface ConnectProxy {
  readonly url: string;
  /** What was asked for, in order. */
  readonly asked: readonly { readonly authority: string; readonly headers: IncomingHttpHeaders }[];
  /** Requests that were not CONNECT. */
  readonly others: readonly string[];
  /** Everything that went through it towards the gateway. */
  seen(): Buffer;
  /** What becomes of the next ones, one each; after them each gets its tunnel. */
  next(...answers: readonly TunnelAnswer[]): void;
  /** Ends every tunnel that is open. */
  cut(): void;
}

/**
 * Starts one; it ends with the test.
 * @param targetPort - asked for each tunnel
 */
export async function startConnectProxy(targetPort: () => number): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'][number][] = [];
  const others: string[] = [];
  const chunks: Buffer[] = [];
  const script: TunnelAnswer[] = [];
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => {}); // resets are what this is about
  };

  const proxy = createServer((request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  proxy.on('connection', keep);
  proxy.on('connect', (request, client: Socket) => {
    asked.push({ authority: request.url ?? '', headers: request.headers });
    const answer = script.shift() ?? 'tunnel';
    if (typeof answer === 'number') return void client.end(`HTTP/1.1 ${answer} Whatever\r\n\r\n<html>no</html>`);
    if (answer === 'hold') return;
    if (answer === 'reset') return void client.resetAndDestroy();
    client.write(`HTTP/1.1 200 Connection Established\r\n\r\n${answer === 'greet' ? 'welcome' : ''}`);
    if (answer === 'greet') return;
    if (answer === 'tunnel-then-reset') return void client.once('data', () => client.resetAndDestroy());
    const gateway = connect(targetPort(), '127.0.0.1');
    keep(gateway);
    client.on('data', (chunk: Buffer) => chunks.push(chunk));
    client.pipe(gateway).pipe(client);
    client.on('close', () => gateway.destroy());
    gateway.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });

  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    others,
    seen: () => Buffer.concat(chunks),
    next: (...answers) => void script.push(...answers),
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
