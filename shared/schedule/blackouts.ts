import type { ResolvedBlackout } from '../config/resolve/resolved-automation.ts';
import { changesThatSkip } from './clock-changes.ts';
import { durationMs } from './duration.ts';
import { fireTimes } from './fire-times.ts';
import { parseScheduleExpression } from './schedule-expression.ts';

/** A blackout that covers an instant, and when it is over. */
export interface Covering {
  readonly blackout: ResolvedBlackout;
  /** The first instant that it does not cover any more. */
  readonly until: Date;
}

/**
 * The blackout that covers an instant for a campaign. One that skips comes before one that defers, and among equals the one that ends last:
 * what is deferred is judged again at its end, so chains of them need no care. Pure.
 * @param campaign - `undefined` is a run that nobody configured: only blackouts of all campaigns cover it
 */
export function coveringBlackout(
  blackouts: readonly ResolvedBlackout[],
  campaign: string | undefined,
  instant: Date,
): Covering | undefined {
  return blackouts
    .filter(({ campaigns }) => campaigns === undefined || (campaign !== undefined && campaigns.includes(campaign)))
    .flatMap((blackout) => {
      const until = coveredUntil(blackout, instant);
      return until === undefined ? [] : [{ blackout, until }];
    })
    .toSorted((a, b) => rank(a) - rank(b) || b.until.getTime() - a.until.getTime())[0];
}

function rank({ blackout }: Covering): number {
  return blackout.starts === 'skip' ? 0 : 1;
}

/** When the blackout that covers this instant is over; `undefined`: it does not cover it. */
export function coveredUntil({ window }: ResolvedBlackout, instant: Date): Date | undefined {
  if (window.kind === 'once') {
    const isInside = Date.parse(window.from) <= instant.getTime() && instant.getTime() < Date.parse(window.to);
    return isInside ? new Date(window.to) : undefined;
  }
  const lastsMs = durationMs(window.lasts) ?? 0;
  const begin = lastBeginning(window, new Date(instant.getTime() - lastsMs), instant);
  return begin === undefined ? undefined : new Date(begin.getTime() + lastsMs);
}

/**
 * The last of its times after `after` and not after `until`. One that the clocks skip in spring begins at the instant of the change: a
 * blackout that is left out would let a start through.
 */
function lastBeginning(
  window: Extract<ResolvedBlackout['window'], { kind: 'recurring' }>,
  after: Date,
  until: Date,
): Date | undefined {
  const expression = parseScheduleExpression(window.expression);
  if (!expression.ok) throw new Error(expression.problem);
  let last = changesThatSkip(expression.value, window.timezone, after, until).at(-1);
  for (const at of fireTimes(expression.value, window.timezone, after)) {
    if (at > until) break;
    if (last === undefined || at > last) last = at;
  }
  return last;
}
