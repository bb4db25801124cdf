import type { OperationName } from '../model/resources.ts';
import { applyOf, type FaultRequest } from './fault.ts';

interface ArmedFault {
  readonly id: string;
  readonly request: FaultRequest;
  readonly limit: RateLimit | undefined;
  skip: number;
  /** Infinity for `forever`. */
  remaining: number;
  struck: number;
}

/** A fault that strikes a request now. */
export interface Strike {
  readonly id: string;
  readonly fault: FaultRequest;
}

/**
 * Armed faults in the order in which they were added; the first that matches strikes, and uses
 * itself up.
 */
export class FaultRegistry {
  readonly #nowMs: () => number;
  #faults: ArmedFault[] = [];
  #added = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Arms a fault and answers it as {@link list} shows it. */
  add(request: FaultRequest) {
    this.#added += 1;
    const rate = request.rateLimit?.requestsPerSecond;
    const fault: ArmedFault = {
      id: `fault-${this.#added}`,
      request,
      limit: rate === undefined ? undefined : new RateLimit(rate, this.#nowMs()),
      skip: request.skip,
      remaining: request.times === 'forever' || rate !== undefined ? Infinity : request.times,
      struck: 0,
    };
    this.#faults.push(fault);
    return shown(fault);
  }

  /** The fault that this request meets, counted as used. */
  take(method: string, path: string, operation: OperationName | undefined): Strike | undefined {
    for (const fault of this.#faults) {
      if (fault.remaining === 0 || !isMatch(fault.request.match, method, path, operation)) continue;
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      if (fault.limit?.admits(this.#nowMs()) === true) continue;
      fault.remaining -= 1;
      fault.struck += 1;
      return { id: fault.id, fault: fault.request };
    }
    return undefined;
  }

  list() {
    return this.#faults.map((fault) => shown(fault));
  }

  /** True if there was such a fault. */
  remove(id: string): boolean {
    const before = this.#faults.length;
    this.#faults = this.#faults.filter((fault) => fault.id !== id);
    return this.#faults.length < before;
  }

  clear(): void {
    this.#faults = [];
  }
}

function isMatch(
  match: FaultRequest['match'],
  method: string,
  path: string,
  operation: OperationName | undefined,
): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  return (
    match.path === undefined || match.path === operation || (match.path.startsWith('/') && path.startsWith(match.path))
  );
}

function shown(fault: ArmedFault) {
  const { id, request, remaining, struck, skip } = fault;
  return {
    ...request,
    id,
    skip,
    apply: applyOf(request),
    remaining: remaining === Infinity ? 'forever' : remaining,
    struck,
  };
}

// A token bucket: as many requests at once as fit into one second, then one at a time.

/** Counts requests against a rate; time is handed in. */
export class RateLimit {
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
