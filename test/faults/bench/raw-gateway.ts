import type { Socket } from 'node:net';
import { server } from '../../integration/shared/gateway-client/clients.ts';
import type { RawRequest, RawServer, RawServerOptions } from '../../integration/shared/gateway-client/raw-server.ts';
import { answerWell, type Doing } from './doings.ts';

/**
 * A gateway on the bare socket that does what a test tells it, and counts what took effect. It ends
 * with the test.
 */
export interface RawGateway extends RawServer {
  /** Does these with the next requests, one each; after them it does what it always does. */
  next(...doings: readonly Doing[]): void;
  /**
   * Does this with every request that is not told otherwise. Without it: answers as a good gateway
   * does.
   */
  always(doing: Doing): void;
  /** Datasets made, by the `Idempotency-Key` of the request that made them. */
  readonly datasets: ReadonlyMap<string, number>;
  /** What took effect on runs, in order: `UUID:starts`, `UUID:stops`. The same again is no effect. */
  readonly transitions: readonly string[];
  /** Bytes on the wire so far, from here to its callers. */
  bytesWritten(): number;
}

/** What a raw gateway is made of. */
export interface RawGatewayOptions extends RawServerOptions {
  /** The page of the listing at a cursor. @default one empty page */
  readonly page?: (cursor: string | undefined) => unknown;
}

export async function startRawGateway(options: RawGatewayOptions = {}): Promise<RawGateway> {
  const { page = () => ({ packages: [] }), ...listening } = options;
  const script: Doing[] = [];
  const datasets = new Map<string, number>();
  const last = new Map<string, string>();
  const transitions: string[] = [];
  const sockets: Socket[] = [];
  let usual: Doing = answerWell;

  function makeDataset({ headers }: RawRequest): unknown {
    const key = headers['idempotency-key'] ?? 'no key';
    datasets.set(key, (datasets.get(key) ?? 0) + 1);
    return { id: `ds-${[...datasets.values()].reduce((sum, count) => sum + count)}` };
  }

  function changeRun({ path, body }: RawRequest): unknown {
    const run = path.slice(path.lastIndexOf('/') + 1);
    const { startAt, status } = JSON.parse(body) as { readonly startAt?: string; readonly status?: string };
    const what = status === 'cancelled' ? 'stops' : startAt === undefined ? undefined : 'starts';
    if (what !== undefined && last.get(run) !== what) {
      last.set(run, what);
      transitions.push(`${run}:${what}`);
    }
    return { message: 'updated' };
  }

  function read({ path }: RawRequest): unknown {
    const url = new URL(path, 'http://gateway');
    if (url.pathname.endsWith('/scanner-packages')) return page(url.searchParams.get('cursor') ?? undefined);
    const started = transitions.filter((transition) => transition.endsWith(':starts'));
    const lastRun = started.at(-1)?.split(':')[0];
    const id = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
    return { campaign: { id, runCount: started.length, lastRun } };
  }

  function effectOf(request: RawRequest): unknown {
    if (request.method === 'POST') return makeDataset(request);
    return request.method === 'PATCH' ? changeRun(request) : read(request);
  }

  const started = await server(
    (socket, request) => (script.shift() ?? usual)({ socket, request, apply: () => effectOf(request) }),
    {
      ...listening,
      onConnection: (socket, connection) => {
        sockets.push(socket);
        listening.onConnection?.(socket, connection);
      },
    },
  );
  return {
    ...started,
    next: (...doings) => void script.push(...doings),
    always: (doing) => {
      usual = doing;
    },
    datasets,
    transitions,
    bytesWritten: () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0),
  };
}
