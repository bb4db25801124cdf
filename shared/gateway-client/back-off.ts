/** A source of numbers in [0, 1), e.g. `Math.random`. */
export type Random = () => number;

const shortestNowMs = 100;
const longestNowMs = 800;
const firstLaterMs = 30_000;
const longestLaterMs = 3_600_000;

/** How long to wait before the first (1), second (2), … repeat in process: full jitter between 100 ms and 400, then 800 ms. */
export function backOffMs(attempt: number, random: Random): number {
  const doublings = Math.max(0, wholeOr(attempt, 1) - 1);
  const cap = Math.min(longestNowMs, 400 * 2 ** doublings);
  return Math.round(shortestNowMs + (cap - shortestNowMs) * unit(random()));
}

/**
 * How long a message stays invisible before it is tried again: 30 s doubled by each receive up to an hour, times a random half to whole.
 * @param receiveCount how often the message was received, 1 at the first time
 */
export function laterDelayMs(receiveCount: number, random: Random): number {
  const doublings = Math.max(0, wholeOr(receiveCount, 1) - 1);
  const cap = Math.min(longestLaterMs, firstLaterMs * 2 ** doublings);
  return Math.round(cap * (0.5 + 0.5 * unit(random())));
}

function wholeOr(value: number, fallback: number): number {
  return Number.isNaN(value) ? fallback : Math.floor(value);
}

function unit(value: number): number {
  return value >= 0 && value <= 1 ? value : 0.5;
}
