/**
 * Time of one history, and the tasks that live in it. One task runs at a time, until it sleeps,
 * ends or dies; then the earliest event comes. No timer of the process is used, so a history is
 * decided by its choices alone and takes about a millisecond.
 */
export interface VirtualWorld {
  readonly nowMs: () => number;
  /** Runs something at an instant; an async function is a task. */
  readonly at: (atMs: number, act: () => void | Promise<void>) => void;
  /** Of a task: the others go on. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Of a task: it never goes on. */
  readonly die: () => Promise<never>;
  /**
   * Runs what falls due until that instant, in order.
   * @returns how many events are left
   */
  readonly runUntil: (endMs: number) => Promise<number>;
}

function doNothing(): void {}

interface DueEvent {
  readonly atMs: number;
  readonly act: () => void | Promise<void>;
}

/** A task that wakes hands back on its own. No callback hangs on this promise: it would be kept for ever. */
const goesOn = new Promise<void>(() => {});

/** No history needs as many events: more of them go in circles. */
const mostEvents = 40_000;

/** Starts a clock. Events of one instant run in the order in which they were made. */
export function createVirtualWorld(startMs: number): VirtualWorld {
  // The latest first: the next event is taken off the end.
  const due: DueEvent[] = [];
  let clockMs = startMs;
  let handBack = doNothing;
  let events = 0;
  let failure: unknown;

  function at(atMs: number, act: DueEvent['act']): void {
    let index = due.length;
    while (index > 0 && (due[index - 1]?.atMs ?? Infinity) <= atMs) index -= 1;
    due.splice(index, 0, { atMs: Math.max(atMs, clockMs), act });
  }

  function sleep(ms: number): Promise<void> {
    const untilMs = clockMs + ms;
    const next = due.at(-1);
    if (next === undefined || next.atMs > untilMs) {
      clockMs = untilMs;
      return Promise.resolve();
    }
    const goOn = handBack;
    const woken = new Promise<void>((resolve) => {
      at(untilMs, () => {
        resolve();
        return goesOn;
      });
    });
    goOn();
    return woken;
  }

  /** A plain function has ended when it returns; a task hands back when it sleeps, ends or dies. */
  async function fire({ act }: DueEvent): Promise<void> {
    await new Promise<void>((resolve) => {
      handBack = resolve;
      const running = act();
      if (running === undefined) resolve();
      else if (running !== goesOn)
        void running.catch((error: unknown) => void (failure ??= error)).then(() => handBack());
    });
    if (failure !== undefined) throw failure;
  }

  return {
    nowMs: () => clockMs,
    at,
    sleep,
    die() {
      handBack();
      return new Promise<never>(() => {});
    },
    async runUntil(endMs) {
      for (let next = due.at(-1); next !== undefined && next.atMs <= endMs; next = due.at(-1)) {
        events += 1;
        if (events > mostEvents) throw new Error(`a history of more than ${mostEvents} events goes in circles`);
        due.pop();
        clockMs = Math.max(clockMs, next.atMs);
        await fire(next);
      }
      return due.length;
    },
  };
}
