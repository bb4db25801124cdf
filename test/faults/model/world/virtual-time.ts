/**
 * Time that only the simulation moves. Everything that waits, waits here: a step takes the earliest
 * event, sets the clock to it, runs it, and lets every promise settle that it woke, so that one
 * seed is one history.
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

/** Starts a clock; events of one instant run in the order in which they were made. */
export function createVirtualTime(seed: number, startMs: number): VirtualTime {
  const random = seededRandom(seed);
  const due = createDueList<() => void>();
  let clockMs = startMs;

  function at(delayMs: number, run: () => void): void {
    due.add(clockMs + Math.max(0, delayMs), run);
  }

  async function step(untilMs: number): Promise<boolean> {
    const next = due.take(untilMs);
    if (next === undefined) return false;
    clockMs = next.atMs;
    next.what();
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

/** What of the globals is the simulation's. */
type Timers = 'setTimeout' | 'performance';

/**
 * Gives the timers of the process to the simulation. The gateway client sleeps between its repeats
 * and measures its deadline by the globals, which are no ports of it.
 * @param replace - puts something else in the place of a global, and its caller takes that back:
 *   `vi.stubGlobal` in a test
 */
export function takeTimers(time: VirtualTime, replace: (name: Timers, value: unknown) => void): void {
  replace('setTimeout', (run: () => void, delayMs = 0) => time.at(delayMs, run));
  replace('performance', { now: time.nowMs });
}

/**
 * All promises that can settle have: the workers wait for nothing but the simulation, so one turn
 * of the event loop is enough.
 */
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

/**
 * What falls due at some time: earliest first, and in the order in which it was added if the time
 * is the same.
 */
export interface DueList<T> {
  readonly add: (atMs: number, what: T) => void;
  /** Takes the first that is due at `untilMs`. */
  readonly take: (untilMs: number) => { readonly atMs: number; readonly what: T } | undefined;
}

interface Due<T> {
  readonly atMs: number;
  /** Counts up: two of one instant keep their order. */
  readonly order: number;
  readonly what: T;
}

/** An empty list: a binary heap, so that a million events cost no more each than a thousand do. */
export function createDueList<T>(): DueList<T> {
  const heap: Due<T>[] = [];
  let added = 0;

  function rise(due: Due<T>): void {
    let place = heap.length - 1;
    for (let parent = (place - 1) >> 1; place > 0; parent = (place - 1) >> 1) {
      const above = heap[parent];
      if (above === undefined || !isBefore(due, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = due;
  }

  function sink(due: Due<T>): void {
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      const left = heap[child];
      const right = heap[child + 1];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const below = isRight ? right : left;
      if (!isBefore(below, due)) break;
      heap[place] = below;
      place = isRight ? child + 1 : child;
    }
    heap[place] = due;
  }

  return {
    add(atMs, what) {
      const due = { atMs, order: added, what };
      added += 1;
      heap.push(due);
      rise(due);
    },
    take(untilMs) {
      const [first] = heap;
      if (first === undefined || first.atMs > untilMs) return undefined;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) sink(last);
      return first;
    },
  };
}

function isBefore(one: Due<unknown>, other: Due<unknown>): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
