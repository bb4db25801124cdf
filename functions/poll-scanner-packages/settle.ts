import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { ChangeSet } from '#shared/ledger/rows/watch-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';

/** A listing that never rests would hold its starts for ever: a set stays open for so many times its settling time at most. */
const mostSettles = 6;

type OpenSet = Pick<ChangeSet, 'since' | 'changedAt'>;
type Watch = Pick<ResolvedPackageWatch, 'settle' | 'every'>;

/** The first instant at which a look closes the set, if none finds more for it before. */
export function waitsUntil(set: OpenSet, watch: Watch): Date {
  const settleMs = settleMsOf(watch);
  return new Date(Math.min(Date.parse(set.changedAt) + settleMs, lastMomentMs(set, settleMs)));
}

/**
 * Whether a set is closed at the end of a look: nothing has changed for long enough, or the next look would come too late for it. So a watch
 * whose looks are far apart never waits for the next one.
 */
export function isSettled(set: OpenSet, watch: Watch, now: Date): boolean {
  const nextLookMs = now.getTime() + (durationMs(watch.every) ?? 0);
  return now >= waitsUntil(set, watch) || nextLookMs > lastMomentMs(set, settleMsOf(watch));
}

/** Whether a set has waited for as long as any may: it is closed then, whatever a look would find. */
export function isOverdue(set: OpenSet, watch: Watch, now: Date): boolean {
  return watch.settle !== undefined && now.getTime() >= lastMomentMs(set, settleMsOf(watch));
}

function settleMsOf({ settle }: Watch): number {
  return settle === undefined ? 0 : (durationMs(settle) ?? 0);
}

function lastMomentMs({ since }: OpenSet, settleMs: number): number {
  return Date.parse(since) + mostSettles * settleMs;
}
