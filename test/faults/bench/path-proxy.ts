import dns from 'node:dns';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What becomes of a connection before a byte of TLS or HTTP has come through. */
type Passage =
  /** It is let through. */
  | 'pass'
  /** RST as soon as it is accepted. */
  | 'reset-at-accept'
  /** RST at its first bytes: in the TLS handshake. */
  | 'reset-in-handshake'
  /** Its bytes are taken and nothing is ever said. */
  | 'hold';

/**
 * What stands between a client and its gateway: it breaks connections below TLS and HTTP, and
 * forgets them as NAT does.
 */
export interface PathProxy {
  readonly port: number;
  connections(): number;
  /** What becomes of the next connections, one each; after them all pass. */
  next(...passages: readonly Passage[]): void;
  /** What becomes of every connection that is not told otherwise. */
  always(passage: Passage): void;
  /**
   * Loses what it knows of its connections: tells nothing, lets nothing through, and answers
   * whatever still comes with RST.
   */
  forget(): void;
}

/** Starts a proxy before a port of 127.0.0.1, on a port of its own; it ends with the test. */
export async function startPathProxy(targetPort: number): Promise<PathProxy> {
  const script: Passage[] = [];
  const sockets = new Set<Socket>();
  const passing = new Map<Socket, Socket>();
  let usual: Passage = 'pass';
  let connections = 0;

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    // Resets are what this is about.
    socket.on('error', () => {});
  };

  function pass(client: Socket): void {
    const gateway = connect(targetPort, '127.0.0.1');
    keep(gateway);
    passing.set(client, gateway);
    client.pipe(gateway);
    gateway.pipe(client);
  }

  const proxy: Server = createServer((client) => {
    connections += 1;
    keep(client);
    switch (script.shift() ?? usual) {
      case 'pass':
        return pass(client);
      case 'reset-at-accept':
        return void client.resetAndDestroy();
      case 'reset-in-handshake':
        return void client.once('data', () => client.resetAndDestroy());
      case 'hold':
        return void client.resume();
    }
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });

  return {
    port: (proxy.address() as AddressInfo).port,
    connections: () => connections,
    next: (...passages) => void script.push(...passages),
    always: (passage) => {
      usual = passage;
    },
    forget() {
      for (const [client, gateway] of passing) {
        client.unpipe(gateway);
        gateway.unpipe(client);
        client.on('data', () => client.resetAndDestroy());
        // Left paused by `unpipe`.
        client.resume();
      }
      passing.clear();
    },
  };
}

/** What a name resolves to: an address, or the code that the resolver fails with. */
export type Resolution = '127.0.0.1' | '127.0.0.2' | 'ENOTFOUND' | 'EAI_AGAIN';

/**
 * The machine's resolver for one name, until the test ends; the client asks it through `node:net`
 * and takes no other.
 */
export interface NameServer {
  /** From now on the name resolves so. */
  resolve(resolution: Resolution): void;
  /** How often the name was asked for. */
  lookups(): number;
}

type Callback = (error: Error | null, addresses?: { address: string; family: number }[]) => void;

/** Answers for `localhost`: the one name that a base URL may use without TLS. */
export function nameServer(first: Resolution): NameServer {
  let resolution = first;
  let lookups = 0;
  const { lookup } = dns;

  function answer(name: string, options: { readonly all?: boolean }, callback: Callback): void {
    if (name !== 'localhost' || options.all !== true) throw new Error(`${name} is unknown here`);
    lookups += 1;
    if (resolution.startsWith('127.')) callback(null, [{ address: resolution, family: 4 }]);
    else callback(Object.assign(new Error(`getaddrinfo ${resolution} ${name}`), { code: resolution }));
  }

  // node:net reads the property at each connection: nothing in the client is replaced.
  Object.defineProperty(dns, 'lookup', { value: answer, configurable: true, writable: true });
  onTestFinished(() => {
    Object.defineProperty(dns, 'lookup', { value: lookup, configurable: true, writable: true });
  });
  return {
    resolve: (next) => {
      resolution = next;
    },
    lookups: () => lookups,
  };
}
