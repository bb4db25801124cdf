import { vi } from 'vitest';

/**
 * Time that only the simulation moves. Everything that waits, waits here: a step takes the earliest event, sets the clock to it, runs it,
 * and lets every promise settle that it woke, so that one seed is one history.
 */
export interface VirtualTime {
  readonly nowMs: () => number;
  /** In [0, 1), from the seed. */
  readonly random: () => number;
  /** A whole number between `least` and `most`, both included. */
  readonly between: (least: number, most: number) => number;
  /** Runs something after a delay. */
  readonly at: (delayMs: number, run: () => void) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Moves the clock, and runs in order what falls due until then. */
  readonly advance: (ms: number) => Promise<void>;
  /** Runs until `isDone`, at most for `limitMs`; answers whether it is done. */
  readonly runUntil: (isDone: () => boolean, limitMs: number) => Promise<boolean>;
}

interface Due {
  readonly atMs: number;
  readonly run: () => void;
}

/** Starts a clock; events of one instant run in the order in which they were made. */
export function createVirtualTime(seed: number, startMs: number): VirtualTime {
  const random = seededRandom(seed);
  /** Latest first, so that the next one is at the end. */
  const due: Due[] = [];
  let clockMs = startMs;

  function at(delayMs: number, run: () => void): void {
    const atMs = clockMs + Math.max(0, delayMs);
    let low = 0;
    let high = due.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((due[middle]?.atMs ?? 0) > atMs) low = middle + 1;
      else high = middle;
    }
    due.splice(low, 0, { atMs, run });
  }

  async function step(untilMs: number): Promise<boolean> {
    const next = due.at(-1);
    if (next === undefined || next.atMs > untilMs) return false;
    due.pop();
    clockMs = next.atMs;
    next.run();
    await settled();
    return true;
  }

  async function runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const untilMs = clockMs + limitMs;
    await settled();
    while (!isDone()) {
      if (!(await step(untilMs))) {
        clockMs = untilMs;
        return isDone();
      }
    }
    return true;
  }

  return {
    nowMs: () => clockMs,
    random,
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
    at,
    sleep: async (ms) => {
      await new Promise<void>((resolve) => {
        at(ms, resolve);
      });
    },
    advance: async (ms) => void (await runUntil(() => false, ms)),
    runUntil,
  };
}

/**
 * Gives the timers of the process to the simulation: the gateway client sleeps between its repeats and measures its deadline by the globals,
 * which are no ports of it. Undone by `vi.unstubAllGlobals()`.
 */
export function takeTimers(time: VirtualTime): void {
  vi.stubGlobal('setTimeout', (run: () => void, delayMs = 0) => time.at(delayMs, run));
  vi.stubGlobal('performance', { now: time.nowMs });
}

/** All promises that can settle have: the workers wait for nothing but the simulation, so one turn of the event loop is enough. */
async function settled(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

/** Mulberry32: small, and good enough to shuffle. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
