import { toError } from '#shared/errors/app-error.ts';
import type { TickAnswer } from '#shared/messages/tick-answer.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { closeRuns } from './close-runs.ts';
import type { WatchDeps } from './deps.ts';
import { type CampaignsLooked, lookAtCampaigns } from './look-at-campaigns.ts';
import { afterwards } from './parts.ts';
import { type DeferredStart, sendDeferredStarts } from './send-deferred-starts.ts';
import { type DueStops, sendDueStops } from './due-stops.ts';

/**
 * One tick: the stops that are due, the runs whose time is over, the starts whose blackout is over, then the gateway. Whatever fails, the rest is
 * done, and stops are first.
 * @throws at the end what failed: the next tick starts from the ledger again
 */
export async function watchCampaigns(deps: WatchDeps): Promise<TickAnswer> {
  const stops = sendDueStops(deps);
  const closed = afterwards(stops, () => closeRuns(deps));
  const deferred = afterwards(closed, () => sendDeferredStarts(deps));
  const looked = afterwards(deferred, () => lookAtCampaigns(deps));
  for (const part of await Promise.allSettled([stops, closed, deferred, looked])) {
    if (part.status === 'fulfilled') continue;
    deps.reports.log.error(logEvents.failed, `a part of this tick failed: ${toError(part.reason).message}`, {
      error: toError(part.reason),
    });
  }
  return tickAnswerOf({ stops: await stops, closed: await closed, deferred: await deferred, looked: await looked });
}

/** What a tick came to: `1 run in flight, no stops due; smoke put off until 2027-01-04T00:00:00.000Z`. */
function tickAnswerOf(parts: {
  readonly stops: DueStops;
  readonly closed: readonly string[];
  readonly deferred: readonly DeferredStart[];
  readonly looked: CampaignsLooked;
}): TickAnswer {
  const { stops, closed, deferred, looked } = parts;
  const summary = [
    `${counted(stops.inFlight, 'run')} in flight, ${counted(stops.due, 'stop')} due`,
    ...closed.map((run) => `${run} is closed: its time is over`),
    ...deferred.map(({ run, until, blackout, isOver }) =>
      isOver ? `${run} starts: the blackout ${blackout} is over` : `${run} put off until ${until} (${blackout})`,
    ),
    ...looked.unconfirmed.map((run) => `the start of ${run} is not confirmed`),
    ...looked.elsewhere.map((campaign) => `${campaign} was started by nobody here`),
    ...(looked.unread === 0 ? [] : [`${counted(looked.unread, 'campaign')} not read this time`]),
  ].join('; ');
  return { summary, ...stops, closed, deferred, ...looked };
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
