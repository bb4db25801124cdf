/** Runs one piece of work after the other, so that a tick of the timer never cuts into a move of the clock. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // whoever asked hears of the failure; the next in line must not
    return mine;
  };
}
