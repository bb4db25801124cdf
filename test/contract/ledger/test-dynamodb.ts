import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';

/** DynamoDB in memory behind a proxy that can take a request, let it be applied, and lose the answer. */
export interface TestDynamoDb {
  readonly url: string;
  readonly dropNextAnswerTo: (operation: string) => void;
  /** Requests to an operation since the last drop was asked for. */
  readonly requestsTo: (operation: string) => number;
  readonly close: () => Promise<void>;
}

/** Starts both on ports of their own. */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const engine = dynalite({ createTableMs: 0 });
  const enginePort = await listen(engine);
  let dropped: string | undefined;
  let seen: string[] = [];

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    seen.push(operation);
    const isDropped = dropped === operation;
    if (isDropped) dropped = undefined;
    const { method, url: path, headers } = incoming;
    const upstream = request({ host: '127.0.0.1', port: enginePort, method, path, headers }, (answer) => {
      if (isDropped) {
        answer.resume().once('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  }

  const proxy = createServer(forward);
  const port = await listen(proxy);
  return {
    url: `http://127.0.0.1:${port}`,
    dropNextAnswerTo(operation) {
      dropped = operation;
      seen = [];
    },
    requestsTo: (operation) => seen.filter((name) => name === operation).length,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      engine.close();
    },
  };
}

async function listen(server: Pick<Server, 'listen' | 'address'> & NodeJS.EventEmitter): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
