/**
 * Who may use the tables at the same time: any number of single requests, or one transaction alone.
 *
 * The engine makes each single write atomic by itself. A transaction is several writes, so nothing else, reads included,
 * may come between its first look at a row and its last write.
 */

/** Admits work in the order in which it asked. */
export interface AccessLock {
  /** Runs beside other shared work. */
  shared<T>(work: () => Promise<T>): Promise<T>;
  /** Runs alone: after all work that asked before it, and before all that asks later. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses everything from now on. Work that runs already is not stopped. */
  shut(reason: Error): void;
}

/**
 * Creates an open lock.
 * @example await lock.exclusive(async () => { for (const write of writes) await apply(write); });
 */
export function createAccessLock(): AccessLock {
  const sharing = new Set<Promise<unknown>>();
  let lastExclusive: Promise<unknown> = Promise.resolve();
  let shutBecause: Error | undefined;

  async function unlessShut<T>(work: () => Promise<T>): Promise<T> {
    if (shutBecause !== undefined) throw shutBecause;
    return work();
  }

  return {
    async shared(work) {
      const running = lastExclusive.then(() => unlessShut(work));
      const settled = ended(running);
      sharing.add(settled);
      void settled.then(() => sharing.delete(settled));
      return running;
    },
    async exclusive(work) {
      const earlier = Promise.all([lastExclusive, ...sharing]);
      const running = earlier.then(() => unlessShut(work));
      lastExclusive = ended(running);
      return running;
    },
    shut(reason) {
      shutBecause = reason;
    },
  };
}

/** Resolves once the work has ended, whether it failed or not. */
async function ended(work: Promise<unknown>): Promise<void> {
  await work.then(
    () => undefined,
    () => undefined,
  );
}
