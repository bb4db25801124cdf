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
  /** Runs something after a delay. If a promise of it rejects, the simulation fails. */
  readonly at: (delayMs: number, run: () => unknown) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Moves the clock, and runs in order what falls due until then. */
  readonly advance: (ms: number) => Promise<void>;
  /** Runs until `isDone`, at most for `limitMs`; answers whether it is done. */
  readonly runUntil: (isDone: () => boolean, limitMs: number) => Promise<boolean>;
}

/**
 * Starts a clock; events of one instant run in the order in which they were made.
 * @param mostEvents - more of them go in circles, and fail
 */
export function createVirtualTime(seed: number, startMs: number, mostEvents = Infinity): VirtualTime {
  const random = seededRandom(seed);
  // The latest first: the next event is taken off the end.
  const due: DueEvent[] = [];
  let clockMs = startMs;
  let events = 0;
  let failure: unknown;

  function at(delayMs: number, run: () => unknown): void {
    const atMs = clockMs + Math.max(0, delayMs);
    due.splice(placeOf(due, atMs), 0, { atMs, run });
  }

  async function step(untilMs: number): Promise<boolean> {
    const next = due.at(-1);
    if (next === undefined || next.atMs > untilMs) return false;
    due.pop();
    events += 1;
    if (events > mostEvents) throw new Error(`a history of more than ${mostEvents} events goes in circles`);
    clockMs = next.atMs;
    const running = next.run();
    if (running instanceof Promise) running.catch((error: unknown) => (failure ??= error));
    await settled();
    if (failure !== undefined) throw failure;
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

interface DueEvent {
  readonly atMs: number;
  readonly run: () => unknown;
}

/** Before the events of that time, which come first: they are taken off the end. */
function placeOf(due: readonly DueEvent[], atMs: number): number {
  let [from, to] = [0, due.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((due[middle]?.atMs ?? 0) > atMs) from = middle + 1;
    else to = middle;
  }
  return from;
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

/** Does something while the timers of this process are those of a virtual clock, and gives them back. */
export async function withTimersOf<T>(time: VirtualTime, work: () => Promise<T>): Promise<T> {
  const taken: [string, PropertyDescriptor | undefined][] = [];
  takeTimers(time, (name, value) => {
    taken.push([name, Object.getOwnPropertyDescriptor(globalThis, name)]);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  });
  try {
    return await work();
  } finally {
    for (const [name, before] of taken) if (before !== undefined) Object.defineProperty(globalThis, name, before);
  }
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
