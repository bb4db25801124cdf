/** Says whether one more repeat is affordable. */
export interface RetryBudget {
  /** Takes one repeat from the budget, or says no. */
  take(): boolean;
  /** Notes an answer that needed no repeat. */
  refill(): void;
}

/** Repeats that a fresh environment may make before it has earned any. */
const capacity = 10;
/** What one answer earns: repeats add at most a tenth to the traffic of a gateway that is in trouble. */
const perAnswer = 0.1;

/** Makes a budget: a bucket of ten repeats that fills by a tenth with each good answer. */
export function createRetryBudget(): RetryBudget {
  let left = capacity;
  return {
    take() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    refill() {
      left = Math.min(capacity, left + perAnswer);
    },
  };
}
