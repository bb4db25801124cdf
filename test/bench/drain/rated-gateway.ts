import type { Transport, WireRequest, WireResult } from '#shared/gateway-client/transport/transport.ts';
import { jsonAnswer } from '../../faults/model/world/gateway-faults.ts';
import type { Environment } from '../../faults/model/world/virtual-function.ts';
import type { VirtualTime } from '../../faults/model/world/virtual-time.ts';

/**
 * A gateway that keeps a rate: beyond it 429, with the seconds after which to come again.
 */
export interface RatedGateway {
  readonly transportOf: (environment: Environment) => Transport;
  readonly counts: Readonly<GatewayCounts>;
}

interface GatewayCounts {
  calls: number;
  /** Requests that were answered as they should be, the repeated ones included. */
  done: number;
  /** Answered 429. */
  refused: number;
  /** When the last one was done. */
  lastDoneMs: number;
}

/** How a gateway behaves. */
export interface RatedGatewayOptions {
  readonly requestsPerSecond: number;
  readonly latencyMs: number;
  /**
   * Told of each change that is done: of a dataset by the `fileId` that it was posted with, of a
   * run by its path.
   */
  readonly onChange: (what: string) => void;
}

/** What a 429 asks for. */
const retryAfterSeconds = 1;

/** Starts a gateway on a clock. */
export function createRatedGateway(time: VirtualTime, options: RatedGatewayOptions): RatedGateway {
  const limit = new RateLimit(options.requestsPerSecond, time.nowMs());
  const counts: GatewayCounts = { calls: 0, done: 0, refused: 0, lastDoneMs: time.nowMs() };
  const { onChange } = options;

  function answerTo({ method, path, body }: WireRequest): WireResult {
    const nowMs = time.nowMs();
    counts.calls += 1;
    if (!limit.admits(nowMs)) {
      counts.refused += 1;
      return jsonAnswer(429, { message: 'too many' }, { 'retry-after': String(retryAfterSeconds) });
    }
    counts.done += 1;
    counts.lastDoneMs = nowMs;
    if (method === 'POST') {
      onChange(fileIdOf(body));
      return jsonAnswer(201, { id: `dataset-${counts.done}` });
    }
    if (method === 'PATCH') {
      onChange(path);
      return jsonAnswer(200, { message: 'ok' });
    }
    if (path.includes('/campaigns/')) {
      const id = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
      return jsonAnswer(200, { campaign: { id, name: 'c' } });
    }
    return jsonAnswer(200, { packages: [], next: null, prev: null });
  }

  return {
    counts,
    transportOf: ({ effect, wait }) => ({
      async send(request) {
        const result = await effect(options.latencyMs / 2, () => answerTo(request));
        await wait(options.latencyMs / 2);
        return result;
      },
      close: async () => {},
    }),
  };
}

/**
 * What a dataset was posted with. @throws TypeError for a dataset that could not be told from
 * another one
 */
function fileIdOf(body: WireRequest['body']): string {
  const { fileId }: { readonly fileId?: unknown } = JSON.parse(String(body));
  if (typeof fileId !== 'string') throw new TypeError('a dataset was posted without a fileId');
  return fileId;
}

// A token bucket: as many requests at once as fit into one second, then one at a time.

/** Counts requests against a rate; time is handed in. */
class RateLimit {
  readonly #requestsPerSecond: number;
  readonly #capacity: number;
  #tokens: number;
  #filledAt: number;

  constructor(requestsPerSecond: number, now: number) {
    this.#requestsPerSecond = requestsPerSecond;
    this.#capacity = Math.max(1, requestsPerSecond);
    this.#tokens = this.#capacity;
    this.#filledAt = now;
  }

  /** True if the request at `now` (milliseconds) is within the rate. */
  admits(now: number): boolean {
    const elapsedMs = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#capacity, this.#tokens + (elapsedMs * this.#requestsPerSecond) / 1000);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
