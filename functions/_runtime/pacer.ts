import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Spaces the requests of one environment: the function's rate divided by the mapping's maximum concurrency, so that all environments
 * together keep to the rate. A burst of one: the first request goes at once.
 * @returns a function to await before each request
 */
export function createPacer(
  requestsPerSecond: number,
  clock: { readonly monotonicMs: () => number; readonly sleep: (ms: number) => Promise<unknown> } = {
    monotonicMs: () => performance.now(),
    sleep,
  },
): () => Promise<void> {
  const spacingMs = 1000 / requestsPerSecond;
  let nextAt = 0;

  return async () => {
    const now = clock.monotonicMs();
    const at = Math.max(now, nextAt);
    nextAt = at + spacingMs;
    if (at > now) await clock.sleep(at - now);
  };
}
