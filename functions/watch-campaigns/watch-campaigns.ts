import { toError } from '#shared/errors/app-error.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { followAlarms } from './follow-alarms.ts';
import { type CampaignsLooked, lookAtCampaigns } from './look-at-campaigns.ts';
import { fillPools, type PoolLooked } from './pools/fill-pools.ts';
import type { PoolDeps } from './pools/pool-calls.ts';
import { readCalendars } from './read-calendars.ts';
import { readRuns } from './read-runs.ts';
import { type DeferredStart, sendDeferredStarts } from './send-due-commands.ts';
import { type RunsWatched, watchRuns } from './watch-runs.ts';
import { afterwards } from '../_watch/watch-tick.ts';

/**
 * One tick: the alarms, the calendars, and beside them the runs in flight with their planned stops. Then come the starts whose blackout has ended, and the
 * gateway: runs, then campaigns, then the pools. If one part fails, the rest is done, and stops are first.
 * @throws at the end what failed: the next tick starts from the ledger again
 */
export async function watchCampaigns(deps: PoolDeps): Promise<TickAnswer> {
  const held = followAlarms(deps);
  const calendars = readCalendars(deps);
  const runs = watchRuns(deps);
  const deferred = afterwards(runs, () => sendDeferredStarts(deps));
  const read = afterwards(deferred, () => readRuns(deps));
  const looked = afterwards(read, () => lookAtCampaigns(deps));
  const filled = afterwards(looked, () => fillPools(deps));
  for (const part of await Promise.allSettled([held, calendars, runs, deferred, read, looked, filled])) {
    if (part.status === 'fulfilled') continue;
    deps.reports.log.error(logEvents.failed, `a part of this tick failed: ${toError(part.reason).message}`, {
      error: toError(part.reason),
    });
  }
  await calendars;
  const seen = { ended: await read, ...(await looked), pools: await filled };
  return tickAnswerOf(await held, await runs, await deferred, seen);
}

/** What a tick came to: `1 run in flight, no stops due; smoke deferred until 2027-01-04T00:00:00.000Z`. */
function tickAnswerOf(
  held: readonly string[],
  runs: RunsWatched,
  deferred: readonly DeferredStart[],
  looked: CampaignsLooked & { readonly ended: readonly string[]; readonly pools: readonly PoolLooked[] },
): TickAnswer {
  const summary = [
    `${counted(runs.inFlight, 'run')} in flight, ${counted(runs.due, 'stop')} due`,
    ...held,
    ...runs.countedOut.map((run) => `${run} counts as in flight no longer: its time has ended`),
    ...runs.released.map((run) => `${run} counts as running again: its stop did not settle it`),
    ...deferred.map(({ run, until, blackout, isOver }) =>
      isOver ? `${run} starts: the blackout ${blackout} is over` : `${run} deferred until ${until} (${blackout})`,
    ),
    ...looked.ended,
    ...looked.unconfirmed.map((run) => `the start of ${run} is not confirmed`),
    ...looked.pools.flatMap(poolSays),
    ...(looked.unread === 0 ? [] : [`${counted(looked.unread, 'campaign')} not read this time`]),
  ].join('; ');
  return { summary, ...runs, held, deferred, ...looked };
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A full pool is nothing to tell. */
function poolSays({ run, ready, keepReady, failing, ids }: PoolLooked): readonly string[] {
  if (keepReady === undefined)
    return ids.length === 0 ? [] : [`${ids.length} unused runs of ${run} are to be cancelled`];
  if (ready >= keepReady) return [];
  return [`${ready} of ${keepReady} runs are ready for ${run}${failing === undefined ? '' : `: ${failing}`}`];
}
