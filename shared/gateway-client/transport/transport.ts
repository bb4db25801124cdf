import type { IncomingHttpHeaders } from 'node:http';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type ProxyAddress, throughProxy } from './addresses.ts';

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
  const direct = buildConnector({
    timeout: options.connectMs,
    allowH2: false,
    // Said, because an environment with NODE_TLS_REJECT_UNAUTHORIZED=0 would decide otherwise.
    rejectUnauthorized: true,
    ca: options.caBundle,
  });
  const connect = options.proxy === undefined ? direct : throughProxy(options.proxy, direct, options.connectMs);
  const newPool = () =>
    new Pool(options.origin, {
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
  const mark: SentMark = { sent: false };
  const deadline = new AbortController();
  const { signal } = deadline;
  // undici obeys the signal only once it has a connection: until then the timer ends the wait.
  const timeUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.abort(outOfTime);
    timeUp.reject(outOfTime);
  }, request.totalMs);

  try {
    const asked = pool.compose(marking(mark)).request({
      method,
      path,
      headers,
      body,
      signal,
      reset: fresh,
      headersTimeout: headersMs,
      bodyTimeout: headersMs,
    });
    const answer = await Promise.race([asked, timeUp.promise]);
    const read = await readBody(answer, request);
    return { requestSent: true, status: answer.statusCode, headers: answer.headers, ...read };
  } catch (error) {
    return { requestSent: mark.sent, headers: {}, body: Buffer.alloc(0), brokenBy: error };
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a request has begun. */
interface SentMark {
  sent: boolean;
}

/**
 * Notes that a request begins: undici says so when its connection stands, just before the first
 * byte. Error codes cannot tell a reset while connecting from a reset after sending.
 */
export function marking(mark: SentMark): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        // undici may put a request back that lost its connection: none is written twice.
        if (mark.sent) return controller.abort(new Error('the connection was lost'));
        handler.onRequestStart?.(controller, context);
        mark.sent = !controller.aborted;
      },
      onResponseStart: (...answer) => handler.onResponseStart?.(...answer),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    });
}

/** Reads a body up to its cap. A redirect is never followed, so its body is left alone. */
async function readBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { maxBytes }: WireRequest,
): Promise<Pick<WireResult, 'body' | 'brokenBy'>> {
  const cap = statusCode < 300 ? maxBytes : maxErrorBytes;
  const chunks: Buffer[] = [];
  const isLeft = statusCode >= 300 && statusCode < 400;
  if (isLeft || Number(headers['content-length']) > cap) {
    body.on('error', () => {}).destroy();
    return { body: Buffer.alloc(0), brokenBy: isLeft ? undefined : tooBig };
  }
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > cap) return { body: Buffer.concat(chunks), brokenBy: tooBig };
      chunks.push(chunk);
    }
    return { body: Buffer.concat(chunks) };
  } catch (error) {
    return { body: Buffer.concat(chunks), brokenBy: error };
  }
}
