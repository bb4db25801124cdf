/** How long one call of the gateway may take. */
export interface CallTimes {
  /** The call itself, to the last byte of its answer. */
  readonly totalMs: number;
  /** The call, and writing down what became of it. */
  readonly budgetMs: number;
}

/** A start is a GET and a PATCH: two calls and the ledger fit into the function's time, so that the platform cuts neither. */
const callShare = 0.4;
const longestCallMs = 15_000;

/** For the write after a call, with its repeats. */
const writeShare = 0.1;
const longestWriteMs = 2000;

/** The times of the calls in a function with so much time. */
export function callTimes(functionMs: number): CallTimes {
  const totalMs = Math.min(longestCallMs, functionMs * callShare);
  return { totalMs, budgetMs: totalMs + Math.min(longestWriteMs, functionMs * writeShare) };
}
