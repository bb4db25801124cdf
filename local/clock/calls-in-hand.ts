/**
 * Keeps the clock still while a call is in hand: a batch of messages between its receipt and its deletion, an
 * invocation of a function. A call measures its deadline in real time, but its lease and the visibility of its messages
 * end by the clock. A clock that moved under it would end both, and a second worker would take up the same work.
 */

/** The calls of one run, and the moves of its clock. */
export interface CallsInHand {
  /** Takes up new work. Waits while the clock is about to move. */
  readonly takeUp: <T>(work: () => Promise<T>) => Promise<T>;
  /** Counts work that was taken up already, or that work in hand waits for: it never waits for the clock. */
  readonly goOn: <T>(work: Promise<T>) => Promise<T>;
  /** Lets the calls in hand end, takes up no new work meanwhile, and then moves the clock. */
  readonly moveBetween: (move: () => void) => Promise<void>;
  /** Calls the listener when the clock is about to move, so that what only waits for work can stop waiting. */
  readonly onMoveAhead: (listener: () => void) => void;
}

/** Starts with no call. */
export function createCallsInHand(): CallsInHand {
  const open = { calls: 0, moves: 0 };
  const listeners = new Set<() => void>();
  const changed = new Set<() => void>();

  const tellOfChange = (): void => {
    for (const resolve of changed) resolve();
    changed.clear();
  };
  const change = async (): Promise<void> => new Promise((resolve) => void changed.add(resolve));
  const goOn = async <T>(work: Promise<T>): Promise<T> => {
    open.calls += 1;
    try {
      return await work;
    } finally {
      open.calls -= 1;
      tellOfChange();
    }
  };

  return {
    goOn,
    async takeUp(work) {
      while (open.moves > 0) await change();
      return goOn(work());
    },
    async moveBetween(move) {
      open.moves += 1;
      try {
        for (const listener of listeners) listener();
        while (open.calls > 0) await change();
        move();
      } finally {
        open.moves -= 1;
        tellOfChange();
      }
    },
    onMoveAhead: (listener) => void listeners.add(listener),
  };
}
