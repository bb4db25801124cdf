/** A token bucket: as many requests at once as fit into one second, then one at a time. */

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

  /** True where the request at `now` (milliseconds) is within the rate. */
  admits(now: number): boolean {
    const elapsedMs = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#capacity, this.#tokens + (elapsedMs * this.#requestsPerSecond) / 1000);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
