import type { IncomingHttpHeaders } from 'node:http';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type ProxyAddress, throughProxy, toOwnListener } from './addresses.ts';

/** One request as it goes onto the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  /** On a connection of its own, closed afterwards: no stale socket can make its outcome unknown. */
  readonly fresh: boolean;
  readonly headersMs: number;
  /** The whole exchange: to connect, to send, and to read the answer to its last byte. */
  readonly totalMs: number;
  /** The most that is read of the body of a 2xx. */
  readonly maxBytes: number;
}

/** What became of a request. */
export interface WireResult {
  /** Whether a byte of the request may have left this machine; `false` is proof that none has. */
  readonly requestSent: boolean;
  /** Absent: no answer came. */
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  /** As much of the body as came, at most the cap. */
  readonly body: Buffer;
  /** What ended the exchange before its end: the deadline, the cap, or an error. */
  readonly brokenBy?: unknown;
}

/** The one place that does I/O. Never rejects: what went wrong is part of the result. */
export interface Transport {
  send(request: WireRequest): Promise<WireResult>;
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

/** What `WireResult.brokenBy` is if the time was up. */
export const outOfTime = new Error('out of time');
/** What `WireResult.brokenBy` is if the body of a 2xx passes the cap. */
export const tooBig = new Error('the body is too big');

/** A frozen environment finds its sockets dead, and an address may move: older ones are not used again. Compared by wall clock at each use. */
const longestConnectionMs = 30_000;

/** Enough to find what a gateway says about an error in any wrapping that it likes. */
const maxErrorBytes = 64 * 1024;

/** Makes the transport to one origin. */
export function createTransport(options: {
  readonly origin: string;
  readonly connectMs: number;
  readonly caBundle?: string | undefined;
  readonly proxy?: ProxyAddress | undefined;
}): Transport {
  // One connector for all pools, so that a fresh connection resumes a TLS session if it can.
  const connector = buildConnector({
    timeout: options.connectMs,
    allowH2: false,
    // Said, because an environment with NODE_TLS_REJECT_UNAUTHORIZED=0 would decide otherwise.
    rejectUnauthorized: true,
    ca: options.caBundle,
  });
  // Plain HTTP goes to this machine alone.
  const direct = options.origin.startsWith('http:') ? toOwnListener(connector) : connector;
  const connect = options.proxy === undefined ? direct : throughProxy(options.proxy, direct, options.connectMs);
  const newPool = () =>
    new WatchedPool(options.origin, {
      connect,
      allowH2: false,
      pipelining: 1,
      // Said for the same reason: UNDICI_USE_MILO would choose an experimental parser.
      useMilo: false,
      clientTtl: longestConnectionMs,
      keepAliveMaxTimeout: longestConnectionMs,
    });
  const shared = newPool();
  const open = new Set([shared]);

  return {
    async send(request) {
      if (!request.fresh) return exchange(shared, request);
      const own = newPool();
      open.add(own);
      try {
        return await exchange(own, request);
      } finally {
        open.delete(own);
        void own.destroy();
      }
    },
    async close() {
      await Promise.all([...open].map((pool) => pool.close()));
    },
  };
}

/** One request and its answer. */
async function exchange(pool: Pool, request: WireRequest): Promise<WireResult> {
  const { method, path, headers, body, fresh, headersMs } = request;
  const watched = new Watched();
  const timeUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    watched.isOver = true;
    watched.controller?.abort(outOfTime);
    // A request that has no connection yet cannot be aborted: the wait for it ends.
    timeUp.reject(outOfTime);
  }, request.totalMs);

  try {
    const asked = pool.request({
      method,
      path,
      headers,
      body,
      reset: fresh,
      headersTimeout: headersMs,
      bodyTimeout: headersMs,
      opaque: watched,
    });
    const answer = await Promise.race([asked, timeUp.promise]);
    const read = await readBody(answer, request.maxBytes);
    return { requestSent: true, status: answer.statusCode, headers: answer.headers, ...read };
  } catch (error) {
    return { requestSent: watched.controller !== undefined, headers: {}, body: Buffer.alloc(0), brokenBy: error };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A request in the hands of undici, which says that it begins when the connection stands, just
 * before the first byte. No error code tells that.
 */
export class Watched {
  /** Ends the request; there as soon as it begins. */
  controller?: Dispatcher.DispatchController;
  /** Its time is up: it may not begin any more. */
  isOver = false;

  /** Passes every event on to the handler; of the start it keeps the controller. */
  around(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller, context) => {
        // undici may put a request back that lost its connection: none is written twice.
        if (this.isOver || this.controller !== undefined) return controller.abort(new Error('not wanted any more'));
        this.controller = controller;
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (controller, status, headers, text) =>
        handler.onResponseStart?.(controller, status, headers, text),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    };
  }
}

/** A pool whose requests carry their `Watched` as `opaque`. */
class WatchedPool extends Pool {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { opaque } = options as Dispatcher.RequestOptions<unknown>;
    return super.dispatch(options, opaque instanceof Watched ? opaque.around(handler) : handler);
  }
}

/** Reads a body up to its cap, which ends the connection. A redirect is never followed, so its body is left alone. */
function readBody(
  { statusCode, headers, body }: Dispatcher.ResponseData<unknown>,
  maxBytes: number,
): Promise<Pick<WireResult, 'body' | 'brokenBy'>> {
  const isGood = statusCode < 300;
  const isRedirect = !isGood && statusCode < 400;
  const cap = isGood ? maxBytes : maxErrorBytes;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const end = (brokenBy?: unknown) => resolve({ body: Buffer.concat(chunks), brokenBy });
    body
      .on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, cap - bytes));
        bytes += chunk.length;
        if (bytes > cap) body.destroy(tooBig);
      })
      .on('end', () => end())
      .on('error', end);
    if (isRedirect || (isGood && Number(headers['content-length']) > cap)) body.destroy(tooBig);
  });
}
