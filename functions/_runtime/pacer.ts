import { setTimeout as sleep } from 'node:timers/promises';

/** The turns of one kind of request in one environment. */
export interface Turns {
  /** Milliseconds until the next turn, without taking it. */
  readonly waitMs: () => number;
  /** Takes the next turn, and waits for it. */
  readonly take: () => Promise<void>;
}

/**
 * Spaces the requests of one environment: the function's rate divided by the mapping's maximum concurrency, so that all environments
 * together keep to the rate. A burst of one: the first request goes at once.
 */
export function createTurns(
  requestsPerSecond: number,
  clock: { readonly monotonicMs: () => number; readonly sleep: (ms: number) => Promise<unknown> } = {
    monotonicMs: () => performance.now(),
    sleep,
  },
): Turns {
  const spacingMs = 1000 / requestsPerSecond;
  let nextAt = 0;

  return {
    waitMs: () => Math.max(0, nextAt - clock.monotonicMs()),
    async take() {
      const now = clock.monotonicMs();
      const at = Math.max(now, nextAt);
      nextAt = at + spacingMs;
      if (at > now) await clock.sleep(at - now);
    },
  };
}

/**
 * Turns for whoever waits in any case.
 * @returns a function to await before each request
 */
export function createPacer(...options: Parameters<typeof createTurns>): () => Promise<void> {
  return createTurns(...options).take;
}
