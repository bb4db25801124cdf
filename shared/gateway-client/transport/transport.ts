import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { eachAddressMs, type ProxyAddress, throughProxy, toOwnListener } from './connectors.ts';

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

/** Proxies and single sign-on add many cookies. Node reads 16 KB. */
const maxHeaderBytes = 64 * 1024;

/** Enough to find what a gateway says about an error in any wrapping that it likes. */
const maxErrorBytes = 64 * 1024;

/** A 421: this connection leads to the wrong server. */
const misdirected = 421;

/** The address that a transport leads to, and how. */
interface TransportOptions {
  readonly origin: string;
  readonly connectMs: number;
  readonly caBundle?: string | undefined;
  readonly proxy?: ProxyAddress | undefined;
}

/** Makes the transport to one origin. */
export function createTransport(options: TransportOptions): Transport {
  const newPool = poolMaker(options);
  let shared = newPool();
  const open = new Set([shared]);

  /** What comes next gets a connection of its own; what is under way ends. */
  function renewShared(): void {
    const stale = shared;
    shared = newPool();
    open.delete(stale);
    open.add(shared);
    void stale.close();
  }

  return {
    async send(request) {
      if (!request.fresh) {
        const result = await exchange(shared, request);
        if (result.status === misdirected) renewShared();
        return result;
      }
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

function poolMaker({ origin, connectMs, caBundle, proxy }: TransportOptions): () => Pool {
  // One connector for all pools, so that a fresh connection resumes a TLS session if it can.
  const connector = buildConnector({
    timeout: connectMs,
    allowH2: false,
    // Said, because an environment with NODE_TLS_REJECT_UNAUTHORIZED=0 would decide otherwise.
    rejectUnauthorized: true,
    ca: caBundle,
    autoSelectFamilyAttemptTimeout: eachAddressMs,
  });
  // Plain HTTP goes to this machine alone.
  const direct = origin.startsWith('http:') ? toOwnListener(connector) : connector;
  const connect = proxy === undefined ? direct : throughProxy(proxy, direct, connectMs);
  return () =>
    new Pool(origin, {
      connect,
      allowH2: false,
      pipelining: 1,
      // Said for the same reason: UNDICI_USE_MILO would choose an experimental parser.
      useMilo: false,
      maxHeaderSize: maxHeaderBytes,
      clientTtl: longestConnectionMs,
      keepAliveMaxTimeout: longestConnectionMs,
    });
}

/** One request and its answer. */
async function exchange(pool: Pool, request: WireRequest): Promise<WireResult> {
  const { method, path, headers, body, fresh, headersMs } = request;
  const running = new Exchange(request.maxBytes);
  const timer = setTimeout(() => running.end(outOfTime), request.totalMs);
  try {
    pool.dispatch(
      { method, path, headers, body, reset: fresh, headersTimeout: headersMs, bodyTimeout: headersMs },
      running,
    );
    return await running.result;
  } finally {
    clearTimeout(timer);
  }
}

/** A request in the hands of undici, and what has come of its answer. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #ended = Promise.withResolvers<WireResult>();
  readonly #maxBytes: number;
  /** There as soon as undici begins: the connection stands, and the first byte is next. No error code tells that. */
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #cap = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** @param maxBytes - the most that is read of the body of a 2xx */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Never rejects. */
  get result(): Promise<WireResult> {
    return this.#ended.promise;
  }

  /** Ends it here and now, also before it has a connection; one that has not begun never will. */
  end(brokenBy?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const requestSent = this.#controller !== undefined;
    const answered = this.#status === undefined ? {} : { status: this.#status };
    const body = Buffer.concat(this.#chunks);
    this.#ended.resolve({ requestSent, ...answered, headers: this.#headers, body, brokenBy });
    if (brokenBy !== undefined) this.#controller?.abort(brokenBy);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici may put a request back that lost its connection: none is written twice.
    if (this.#isOver || this.#controller !== undefined) return controller.abort(new Error('not wanted any more'));
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const isGood = status < 300;
    this.#status = status;
    this.#headers = headers;
    this.#cap = isGood ? this.#maxBytes : maxErrorBytes;
    // A redirect is never followed, so its body is left alone.
    if (isGood ? Number(headers['content-length']) > this.#cap : status < 400) this.end(tooBig);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, this.#cap - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes > this.#cap) this.end(tooBig);
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }
}

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** RFC 9110, section 8.4.1: some servers send a bare deflate stream under the name of the wrapped one. */
const decoders = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflated],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/** More layers than any server applies. */
const mostCodings = 3;

/**
 * The answer with its body unpacked, within the size that is read. A gateway or proxy may compress although none is asked for. A body that
 * cannot be unpacked stays as it came.
 * @param codings - the answer's `content-encoding`
 */
export function withoutCoding(result: WireResult, codings: string, maxBytes: number): WireResult {
  if (result.brokenBy !== undefined || result.body.length === 0) return result;
  let { body } = result;
  for (const coding of codings.toLowerCase().split(',').slice(0, mostCodings).toReversed()) {
    if (coding.trim() === 'identity') continue;
    const decode = decoders.get(coding.trim());
    if (decode === undefined) return result;
    try {
      body = decode(body, { maxOutputLength: maxBytes });
    } catch (error) {
      const isTooBig = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      return isTooBig ? { ...result, brokenBy: tooBig } : result;
    }
  }
  // What is left of the header would say that the body is still packed.
  return { ...result, headers: { ...result.headers, 'content-encoding': undefined }, body };
}

function inflated(body: Buffer, options: { readonly maxOutputLength: number }): Buffer {
  // The low four bits of a wrapped stream say so: RFC 1950, section 2.2.
  return ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, options) : inflateRawSync(body, options);
}
