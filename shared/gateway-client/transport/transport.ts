import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { createDeadlines } from './deadlines.ts';
import { createSentTracker, Exchange, type ExchangeLimits, type SentMark, type WireResult } from './exchange.ts';
import { type ProxyAddress, throughProxy } from './addresses.ts';

/** One request as it goes onto the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** Path and query, encoded. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: Buffer | undefined;
  /** On a connection of its own, closed afterwards: no stale socket can make its outcome unknown. */
  readonly fresh: boolean;
  readonly headersMs: number;
  readonly limits: ExchangeLimits;
}

/** The one place that does I/O. Never rejects: what went wrong is part of the result. */
export interface Transport {
  send(request: WireRequest): Promise<WireResult>;
  close(): Promise<void>;
}

/** What a transport is made of. */
export interface TransportOptions {
  readonly origin: string;
  readonly connectMs: number;
  readonly caBundle?: string | undefined;
  readonly proxy?: ProxyAddress | undefined;
}

/** A frozen environment finds its sockets dead, and an address may move: older ones are not used again. Compared by wall clock at each use. */
const longestConnectionMs = 30_000;

/** Makes the transport to one origin. */
export function createTransport(options: TransportOptions): Transport {
  const tracker = createSentTracker();
  const deadlines = createDeadlines();
  // One connector for both, so that a fresh connection resumes a TLS session if it can.
  const direct = buildConnector({
    timeout: options.connectMs,
    allowH2: false,
    // Said, because an environment with NODE_TLS_REJECT_UNAUTHORIZED=0 would decide otherwise.
    rejectUnauthorized: true,
    ca: options.caBundle,
  });
  const connect = options.proxy === undefined ? direct : throughProxy(options.proxy, direct, options.connectMs);
  const shared = { connect, allowH2: false, pipelining: 1, useMilo: false };
  const pool = new Pool(options.origin, {
    ...shared,
    clientTtl: longestConnectionMs,
    keepAliveMaxTimeout: longestConnectionMs,
  });

  let underWay = 0;
  let onIdle: (() => void) | undefined;

  function sendOver(dispatcher: Pool | Client, request: WireRequest): Promise<WireResult> {
    return new Promise((resolve) => {
      underWay += 1;
      const mark: SentMark = { request: undefined, sent: false };
      const exchange = new Exchange(mark, deadlines, request.limits, (result) => {
        tracker.forget(mark);
        resolve(result);
        underWay -= 1;
        if (underWay === 0) onIdle?.();
      });
      tracker.watch(mark, () => {
        dispatcher.dispatch(
          {
            method: request.method,
            path: request.path,
            headers: request.headers,
            body: request.body ?? null,
            headersTimeout: request.headersMs,
            bodyTimeout: request.headersMs,
            reset: request.fresh,
          },
          exchange,
        );
      });
    });
  }

  return {
    send(request) {
      if (!request.fresh) return sendOver(pool, request);
      const own = new Client(options.origin, shared);
      return sendOver(own, request).finally(() => void own.destroy());
    },
    async close() {
      await pool.close();
      if (underWay > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      // Whether a request was sent is known only while the caller listens.
      tracker.stop();
    },
  };
}
