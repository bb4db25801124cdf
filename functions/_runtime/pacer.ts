import { setTimeout as sleep } from 'node:timers/promises';

/** The turns of one kind of request in one environment. */
export interface Turns {
  /** Milliseconds until the next turn, without taking it. */
  readonly waitMs: () => number;
  /** Takes the next turn; what to await until it comes, `undefined` where it is now. */
  readonly take: () => Promise<unknown> | undefined;
}

/**
 * Turns that passed this short a while ago may still be taken: between two batches an environment has no record at hand, and a turn lost in
 * each of them is a rate that is never reached. Short enough that no gateway that counts by the second can tell
 * (docs/adr/0020-four-uploads-at-once.md has the figures).
 */
const catchUpMs = 150;

/**
 * Spaces the requests of one environment: the function's rate divided by the mapping's maximum concurrency, so that all environments
 * together keep to the rate. The first request goes at once, and after a pause those whose turn was in its last moments.
 */
export function createTurns(
  requestsPerSecond: number,
  clock: { readonly monotonicMs: () => number; readonly sleep: (ms: number) => Promise<unknown> } = {
    monotonicMs: () => performance.now(),
    sleep,
  },
): Turns {
  const spacingMs = 1000 / requestsPerSecond;
  let nextAt = -Infinity;

  return {
    waitMs: () => Math.max(0, nextAt - clock.monotonicMs()),
    take() {
      const now = clock.monotonicMs();
      const at = Math.max(now, nextAt);
      nextAt = (nextAt === -Infinity ? now : Math.max(nextAt, now - catchUpMs)) + spacingMs;
      return at > now ? clock.sleep(at - now) : undefined;
    },
  };
}

/**
 * Turns for whoever waits in any case.
 * @returns a function to await before each request
 */
export function createPacer(...options: Parameters<typeof createTurns>): () => Promise<void> {
  const { take } = createTurns(...options);
  return async () => {
    await take();
  };
}
