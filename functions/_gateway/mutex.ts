/** Runs work alone, in the order in which it came; what fails does not hold up what follows. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a mutex of one environment. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
