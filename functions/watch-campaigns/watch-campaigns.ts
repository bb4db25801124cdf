import { toError } from '#shared/errors/app-error.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { type SentStart, startOf } from '#shared/ledger/rows/run-row.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { closeIfOver } from '../_runs/apply.ts';
import { type DueStops, sendDueStops } from './due-stops.ts';
import { type CampaignsLooked, lookAtCampaigns } from './look-at-campaigns.ts';
import { type DeferredStart, sendDeferredStarts } from './send-due-commands.ts';
import { afterwards, doEach, type SendDeps, type WatchDeps } from './watched-campaign.ts';

/**
 * One tick: the stops that are due, the runs whose time is over, the starts whose blackout is over,
 * then the gateway. If one part fails, the rest is done, and stops are first.
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
    ...looked.elsewhere.map((campaign) => `${campaign} was started, but not by this stage`),
    ...(looked.unread === 0 ? [] : [`${counted(looked.unread, 'campaign')} not read this time`]),
  ].join('; ');
  return { summary, ...stops, closed, deferred, ...looked };
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}

type CloseDeps = Pick<SendDeps, 'ledger' | 'reports' | 'now'>;

/**
 * Closes the runs whose time is over and that plan no stop: no list shows them any more, and no stop by name reaches them.
 * @returns their names, or the uuids of unconfigured runs
 */
export async function closeRuns(deps: CloseDeps): Promise<readonly string[]> {
  const now = deps.now();
  const closed: string[] = [];
  await doEach(await readOpenRuns(deps.ledger), async (row) => {
    const start = startOf(row);
    if (start === undefined || !isRunOver(start, now)) return;
    // If the rows change concurrently, the next tick closes the run.
    const run = await closeIfOver(row, deps.now(), deps);
    if (run === undefined) return;
    const { campaignRunId } = row;
    closed.push(row.run ?? campaignRunId);
    const sentence = `${campaignRunId} is closed: its time is over, and its start (${start.startId}) planned no stop`;
    deps.reports.log.info(logEvents.runClosed, sentence, { campaignRunId, run: run.run, commandId: start.startId });
  });
  return closed;
}

function isRunOver({ plannedStop, until }: SentStart, now: Date): boolean {
  return plannedStop === undefined && Date.parse(until) <= now.getTime();
}
