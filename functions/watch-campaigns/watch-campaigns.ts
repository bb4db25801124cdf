import { toError } from '../../shared/errors/app-error.ts';
import type { TickAnswer } from '../../shared/messages/tick-answer.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import type { WatchDeps } from './deps.ts';
import { lookAtCampaigns } from './look-at-campaigns.ts';
import { afterwards } from './parts.ts';
import { sendDeferredStarts } from './send-deferred-starts.ts';
import { sendDueStops } from './send-due-stops.ts';
import { tickAnswerOf } from './tick-answer.ts';

/**
 * One tick: the stops that are due, the starts whose blackout is over, then the gateway. Whatever fails, the rest is done, and stops are first.
 * @throws at the end what failed: the next tick starts from the ledger again
 */
export async function watchCampaigns(deps: WatchDeps): Promise<TickAnswer> {
  const stops = sendDueStops(deps);
  const deferred = afterwards(stops, () => sendDeferredStarts(deps));
  const looked = afterwards(deferred, () => lookAtCampaigns(deps));
  for (const part of await Promise.allSettled([stops, deferred, looked])) {
    if (part.status === 'fulfilled') continue;
    deps.reports.log.error(logEvents.failed, `a part of this tick failed: ${toError(part.reason).message}`, {
      error: toError(part.reason),
    });
  }
  return tickAnswerOf({ stops: await stops, deferred: await deferred, looked: await looked });
}
