const shortestMs = 1000;
/** Longer waits are asked for by mistake; whoever still needs one says so again in a quarter of an hour. */
const longestMs = 15 * 60_000;

const seconds = /^\d+(?:\.\d+)?$/;
// The three forms of RFC 9110 5.6.7 all begin with the name of a day.
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/;

/**
 * Reads `Retry-After`: seconds or an HTTP date, clamped to 1 s … 15 min. Total. What means nothing ("soon", "-1") gives undefined, so that a
 * 503 with it does not count as proof that nothing was applied.
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
