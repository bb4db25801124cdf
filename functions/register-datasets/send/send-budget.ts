/** How long a POST and the record of its answer may take. */
export interface SendBudget {
  /** The whole call, repeats of what never left included. */
  readonly postMs: number;
  /** To write down what the gateway said. */
  readonly ledgerMs: number;
}

const longestPostMs = 45_000;
const longestLedgerMs = 5_000;

/**
 * The budget of a function by the time that an attempt has at its start: 45 s + 5 s if the function
 * has 120 s. A stage with shorter timeouts (5 s, for chaos runs) gets 2 s + 1 s without a setting.
 */
export function sendBudget(functionMs: number): SendBudget {
  return {
    postMs: Math.min(longestPostMs, Math.floor(functionMs * 0.4)),
    ledgerMs: Math.min(longestLedgerMs, Math.floor(functionMs * 0.2)),
  };
}

/**
 * Whether a POST may still begin: the platform can then cut neither the call nor the record of its
 * answer.
 */
export function hasTimeToSend(budget: SendBudget, remainingMs: number): boolean {
  return remainingMs >= budget.postMs + budget.ledgerMs;
}

/** Clocks differ and a cut function lingers: a lease outlives its attempt by this much. */
const leaseMarginMs = 30_000;

/** When an attempt that starts now certainly has ended: 150 s for a function of 120 s. */
export function leaseEnd(now: Date, remainingMs: number): string {
  return new Date(now.getTime() + remainingMs + leaseMarginMs).toISOString();
}

/**
 * The budget of one environment: fixed by its first attempt, which begins with all the time that
 * the function has.
 */
export function firstBudget(): (remainingMs: number) => SendBudget {
  let first: SendBudget | undefined;
  return (remainingMs) => (first ??= sendBudget(remainingMs));
}
