import { readingOf } from '#shared/ledger/rows/campaign-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { readBegunRuns } from './begun-runs.ts';
import { type AwaitedStart, awaitedIn, confirmStart, isMissing } from './confirm-start.ts';
import { callGateway, doEach, mayCall, type WatchDeps } from '../_watch/watch-tick.ts';

/** What a tick saw of the campaigns. */
export interface CampaignsLooked {
  /** Runs whose start is not confirmed though its time is over. */
  readonly unconfirmed: readonly string[];
  /** Campaigns that were to be read and were not: the gate, the time, or the gateway's answer. */
  readonly unread: number;
}

/** Reads each campaign that is to show a start of ours, once for all of its starts. What only is observed was never started. */
export async function lookAtCampaigns(deps: WatchDeps): Promise<CampaignsLooked> {
  if (deps.config.mode === 'observe') return { unconfirmed: [], unread: 0 };
  const awaited = awaitedIn((await readBegunRuns(deps)).runs);
  const toRead = campaignsToRead(awaited, deps.now());

  const unconfirmed = new Set(awaited.filter(isMissing));
  let unread = toRead.length;
  await doEach(toRead, async ([campaignId, starts]) => {
    if (!(await mayCall('reads', deps))) return;
    const read = await callGateway('get', () => deps.gateway.getCampaign({ campaignId }), deps);
    if (!read.ok) {
      const { error, verdict } = read;
      await deps.gate.failed(verdict, campaignId);
      const sentence = `campaign ${campaignId} could not be read: ${error.message}`;
      return deps.reports.log.warn(logEvents.campaignUnread, sentence, { campaignId, error });
    }
    unread -= 1;
    const { at, answer } = read;
    await doEach(starts, async (start) => {
      const isUnshown = await confirmStart(start, { at, reading: readingOf(answer.campaign) }, deps);
      unconfirmed[isUnshown ? 'add' : 'delete'](start);
    });
  });
  return { unconfirmed: [...unconfirmed].map(({ entry }) => entry.run), unread };
}

/** A sign that is missing may come late: its campaign is read in every fifth minute. */
const missingEveryMinutes = 5;

/** The campaigns to read, and the starts that each is to show. The one whose time ends first is the first. Pure. */
function campaignsToRead(
  awaited: readonly AwaitedStart[],
  now: Date,
): readonly (readonly [string, readonly AwaitedStart[]])[] {
  const isTimeOfMissing = now.getUTCMinutes() % missingEveryMinutes === 0;
  const byUrgency = awaited.toSorted((a, b) => a.until.getTime() - b.until.getTime());
  return [...Map.groupBy(byUrgency, ({ campaignId }) => campaignId)].filter(
    ([, starts]) => isTimeOfMissing || !starts.every(isMissing),
  );
}
