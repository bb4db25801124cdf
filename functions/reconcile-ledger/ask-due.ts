const hourMs = 60 * 60_000;

/** Work of which nothing is heard is asked for again once in this time. Each time is one more message, which its worker may find done. */
const askEveryMs = 6 * hourMs;

/** Nothing has been heard of some work since an instant, and for how long that is as it should be. */
export interface Silence {
  readonly since: Date;
  readonly patienceMs: number;
}

/**
 * Whether silent work is to be asked for: once when its patience is over, and again every 6 hours. Judged by the instants alone: of all
 * looks at it, this is the first after such a turn. So nobody has to remember what was asked for, and no row is asked for at every look.
 * @param lastLook - the look before this one; `undefined`: there was none
 */
export function isAskDue({ since, patienceMs }: Silence, lastLook: Date | undefined, now: Date): boolean {
  const firstAt = since.getTime() + patienceMs;
  const turnsUntil = (at: number) => (at < firstAt ? 0 : 1 + Math.floor((at - firstAt) / askEveryMs));
  return turnsUntil(now.getTime()) > turnsUntil(lastLook?.getTime() ?? Number.NEGATIVE_INFINITY);
}
