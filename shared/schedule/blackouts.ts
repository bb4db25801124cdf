import { changesThatSkip } from './clock-changes.ts';
import { durationMs } from './duration.ts';
import { fireTimes, parseScheduleExpression } from './schedule-expression.ts';

/** A time at which nothing is started. */
export interface ResolvedBlackout {
  readonly name: string;
  readonly starts: 'skip' | 'defer';
  /** Absent: all of them. */
  readonly campaigns?: readonly string[];
  /** The calendar file that its times come from. It says nothing about what comes after `endsAt`. */
  readonly file?: { readonly name: string; readonly endsAt: string };
  /**
   * `once`: instants, the end not included. `recurring`: a `cron(…)` in a zone, and how long from
   * each of its times. `calendar`: whenever another team's calendar is closed (`calendars.ts`).
   */
  readonly window:
    | { readonly kind: 'once'; readonly from: string; readonly to: string }
    | { readonly kind: 'recurring'; readonly expression: string; readonly timezone: string; readonly lasts: string }
    | { readonly kind: 'calendar'; readonly arn: string };
}

/** A blackout that covers an instant, and when it is over. */
export interface Covering {
  readonly blackout: ResolvedBlackout;
  /** The first instant that it does not cover any more. */
  readonly until: Date;
}

/**
 * The blackout that covers an instant for a campaign: one that skips before one that defers, then
 * the one that ends last. A deferred start is judged again at the end, so chains need no care.
 * Pure.
 * @param campaign - `undefined`: only blackouts of all campaigns cover it
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

/** When the blackout that covers this instant is over; `undefined`: it does not cover it. Of a calendar nothing is known here. */
export function coveredUntil(blackout: ResolvedBlackout, instant: Date): Date | undefined {
  return blackoutWindows(blackout, { from: instant, until: new Date(instant.getTime() + 1) }).at(-1)?.until;
}

/** A blackout from its beginning to its end. */
export interface BlackoutWindow {
  readonly from: Date;
  /** The first instant that it does not cover any more. */
  readonly until: Date;
}

/** Every time that a blackout covers a part of a range, in order. Pure. */
export function blackoutWindows({ window }: ResolvedBlackout, range: BlackoutWindow): readonly BlackoutWindow[] {
  return windowsAfter(window, range).filter(({ from, until }) => until > range.from && from < range.until);
}

function windowsAfter(window: ResolvedBlackout['window'], { from, until }: BlackoutWindow): readonly BlackoutWindow[] {
  if (window.kind === 'calendar') return [];
  if (window.kind === 'once') return [{ from: new Date(window.from), until: new Date(window.to) }];
  const lastsMs = durationMs(window.lasts) ?? 0;
  return beginnings(window, new Date(from.getTime() - lastsMs), until).map((begin) => ({
    from: begin,
    until: new Date(begin.getTime() + lastsMs),
  }));
}

type RecurringWindow = Extract<ResolvedBlackout['window'], { kind: 'recurring' }>;

/**
 * Its times after `after` and not after `until`, in order. One that the clocks skip in spring
 * begins at the instant of the change: a blackout that is left out would let a start through.
 */
function beginnings(window: RecurringWindow, after: Date, until: Date): readonly Date[] {
  const expression = parseScheduleExpression(window.expression);
  if (!expression.ok) throw new Error(expression.problem);
  const found = [...changesThatSkip(expression.value, window.timezone, after, until)];
  for (const at of fireTimes(expression.value, window.timezone, after)) {
    if (at > until) break;
    found.push(at);
  }
  return found.toSorted((a, b) => a.getTime() - b.getTime());
}
