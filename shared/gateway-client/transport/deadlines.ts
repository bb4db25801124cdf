/** Something that may not go on for ever. */
export interface Timed {
  /** By `performance.now()`. */
  readonly endsAt: number;
  /** Called once, when its time is over. */
  expire(): void;
}

/** Ends what takes too long. */
export interface Deadlines {
  /** Expires it when its time is over. */
  readonly watch: (timed: Timed) => void;
  /** It has ended by itself. */
  readonly forget: (timed: Timed) => void;
}

/**
 * One timer for all requests of a client, armed for the earliest end. Arming and clearing one for
 * each took a thirtieth of a record's CPU (docs/reference/performance.md). It keeps no process
 * alive: a request that is under way has its socket for that.
 */
export function createDeadlines(): Deadlines {
  const open = new Set<Timed>();
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Infinity;

  function wakeAt(endsAt: number): void {
    clearTimeout(timer);
    wakesAt = endsAt;
    timer = setTimeout(check, Math.max(0, endsAt - performance.now()));
    timer.unref();
  }

  function check(): void {
    const now = performance.now();
    wakesAt = Infinity;
    try {
      for (const timed of open) {
        if (timed.endsAt > now) continue;
        open.delete(timed);
        timed.expire();
      }
    } finally {
      // One that throws leaves the others their time.
      if (open.size > 0) wakeAt(Math.min(...[...open].map(({ endsAt }) => endsAt)));
    }
  }

  return {
    watch(timed) {
      open.add(timed);
      if (timed.endsAt < wakesAt) wakeAt(timed.endsAt);
    },
    forget: (timed) => void open.delete(timed),
  };
}
