import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors/app-error.ts';

/** The kinds of request that the run worker makes: PATCH has `runs`, GET has `reads`. */
export type RequestKind = 'runs' | 'reads';

/** What keeps one environment at its share of the configured rates. */
export interface RateLimiter<Kind extends string = RequestKind> {
  /**
   * Milliseconds until a request of this kind may leave, without taking its slot. With several
   * kinds: until the first of them may leave, so that each next one follows as soon as the distance
   * allows.
   */
  readonly waitMs: (...kinds: readonly [Kind, ...Kind[]]) => number;
  /**
   * Takes the next slot of this kind, if it comes within `longestMs`. Nothing may be awaited
   * between `waitMs` and `take`.
   * @throws SlotTooFarError, and takes no slot, if it is farther
   */
  readonly take: (kind: Kind, longestMs: number) => Promise<void>;
}

/** A clock that is never set, and a way to sleep on it. */
export interface LimiterClock {
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** The next slot comes later than its caller can wait. Nothing was sent and no slot was taken. */
export class SlotTooFarError extends AppError {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`the next slot of the configured rate comes in ${Math.ceil(waitMs / 1000)} s`, {
      code: 'SLOT_TOO_FAR',
      retryable: true,
    });
    this.waitMs = waitMs;
  }
}

/**
 * Beside a walk, which asks for the time left before each page, a tick makes at most three
 * requests. A function of 120 s sees them through.
 */
const longestPaceMs = 30_000;

/**
 * A slot that passed at most this long ago may still be used. Between two batches an environment
 * has no record at hand, and a lost slot never comes back. Short enough that no gateway that counts
 * by the second can tell.
 */
const catchUpMs = 150;

const systemClock: LimiterClock = { monotonicMs: () => performance.now(), sleep };

/**
 * Spaces the requests of one environment by pure arithmetic. Two rules hold together:
 *
 * - requests of one kind keep to the environment's share of that kind's rate. A request that is at
 *   most 0.15 s late may still use its slot;
 * - any two requests, of the same kind or not, are `distanceMs` apart: the gateway counts both
 *   kinds as requests of one client.
 *
 * Kinds share no slots: many reads never delay a stop by more than the distance
 * (docs/adr/0031-a-distance-between-any-two-requests.md).
 * @param perSecond - the environment's share of each rate: the rate divided by the mapping's
 *   maximum concurrency
 * @param options.distanceMs - least time between any two requests. @default 0
 */
export function createRateLimiter<Kind extends string>(
  perSecond: Readonly<Record<Kind, number>>,
  { distanceMs = 0, clock = systemClock }: { readonly distanceMs?: number; readonly clock?: LimiterClock } = {},
): RateLimiter<Kind> {
  const nextAt = new Map<Kind, number>();
  let lastAt = -Infinity;

  function slotAt(kind: Kind): number {
    return Math.max(nextAt.get(kind) ?? -Infinity, lastAt + distanceMs);
  }

  return {
    waitMs(...kinds) {
      const now = clock.monotonicMs();
      const waits = kinds.map((kind, index) => slotAt(kind) - index * distanceMs - now);
      return Math.max(0, ...waits);
    },

    async take(kind, longestMs) {
      const now = clock.monotonicMs();
      const at = Math.max(now, slotAt(kind));
      if (at - now > longestMs) throw new SlotTooFarError(at - now);
      nextAt.set(kind, Math.max(nextAt.get(kind) ?? now, now - catchUpMs) + 1000 / perSecond[kind]);
      lastAt = at;
      if (at > now) await clock.sleep(at - now);
    },
  };
}

/**
 * The distance between any two requests of one environment: 1 s divided by its share of both rates.
 * All environments together then keep to `runs` + `reads`, also if they send in the same second.
 * @param shares - each rate divided by the mapping's maximum concurrency
 */
export function requestDistanceMs({ runs, reads }: Readonly<Record<RequestKind, number>>): number {
  return 1000 / (runs + reads);
}

/**
 * A rate limiter for one kind of request and for callers that wait in any case.
 * @returns a function to await before each request; a slot that is farther than `longestMs` rejects
 *   with SlotTooFarError. @default 30 s
 */
export function createPacer(requestsPerSecond: number, clock = systemClock): (longestMs?: number) => Promise<void> {
  const limiter = createRateLimiter({ requests: requestsPerSecond }, { clock });
  return async (longestMs = longestPaceMs) => limiter.take('requests', longestMs);
}

/**
 * A start that is this close to its slot waits for it in process. Farther ones go back, so that the
 * next message may be a stop.
 */
export const longestSlotWaitMs = 1000;
