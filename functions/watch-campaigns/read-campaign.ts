import { classifyFailure, GatewayError } from '#shared/gateway-client/index.ts';
import { type CampaignReading, readingOf } from '#shared/ledger/campaign-reading.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { WatchDeps } from './deps.ts';

/** A campaign as it reads now. */
export interface CampaignRead {
  readonly campaignId: string;
  /** Just before it was asked for. */
  readonly at: string;
  readonly reading: CampaignReading;
  /** What the gateway says about its newest run, where that is a text. */
  readonly lastRun?: string;
}

/** `GET campaign`, and what it says to the gate. `undefined`: it could not be read, which delays what waits for it and is no error of the tick. */
export async function readCampaign(campaignId: string, deps: WatchDeps): Promise<CampaignRead | undefined> {
  const { gateway, gate, rateLimiter, now, reports } = deps;
  await rateLimiter.take('reads', deps.remainingMs() - deps.callBudgetMs);
  const at = now().toISOString();
  try {
    const { campaign } = await gateway.getCampaign({ campaignId });
    await gate.answered();
    const { lastRun } = campaign;
    return { campaignId, at, reading: readingOf(campaign), ...(typeof lastRun === 'string' ? { lastRun } : {}) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    await gate.failed(classifyFailure('get', error), campaignId, error.message);
    reports.log.warn(logEvents.campaignUnread, `campaign ${campaignId} could not be read: ${error.message}`, {
      campaignId,
      error,
    });
    return undefined;
  }
}
