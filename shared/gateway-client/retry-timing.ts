import { hourMs } from '../schedule/duration.ts';

/** A source of numbers in [0, 1), e.g. `Math.random`. */
export type Random = () => number;

const shortestNowMs = 100;
const longestNowMs = 800;
const firstLaterMs = 30_000;
const longestLaterMs = hourMs;

/** How long to wait before a repeat in process: full jitter between 100 ms and 400, then 800 ms. */
export function backOffMs(attempt: number, random: Random): number {
  const cap = Math.min(longestNowMs, 400 * 2 ** (attempt - 1));
  return Math.round(shortestNowMs + (cap - shortestNowMs) * random());
}

/**
 * How long a message stays invisible before it is tried again. Each receive doubles the 30 s, up to
 * an hour. A random part of that, half to whole, is used.
 */
export function laterDelayMs(receiveCount: number, random: Random): number {
  const cap = Math.min(longestLaterMs, firstLaterMs * 2 ** (receiveCount - 1));
  return Math.round(cap * (0.5 + 0.5 * random()));
}

const shortestMs = 1000;
/** Longer waits are asked for by mistake; a gateway that still needs one says so again. */
const longestMs = 15 * 60_000;

const seconds = /^\d+(?:\.\d+)?$/;
// The three forms of RFC 9110 5.6.7 all begin with the name of a day.
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/;

/**
 * Reads `Retry-After`: seconds or an HTTP date, clamped to 1 s … 15 min. Total. What means nothing
 * ("soon", "-1") gives undefined, so that a 503 with it does not count as proof that nothing was
 * applied.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const delayMs = seconds.test(text)
    ? Number(text) * 1000
    : httpDate.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(longestMs, Math.max(shortestMs, Math.ceil(delayMs)));
}
