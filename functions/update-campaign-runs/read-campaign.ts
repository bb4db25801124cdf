import { GatewayError } from '../../shared/gateway-client/index.ts';
import { type CampaignReading, readingOf } from '../../shared/ledger/campaign-reading.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import { type Failed, judge } from './change-run.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';

/** A reading, or what a failed read means for the command. */
export type CampaignRead = { readonly kind: 'read'; readonly reading: CampaignReading } | Failed;

/**
 * `GET campaign`: before a start, and again where a start's outcome is unknown. A read that fails is never taken for an answer.
 * @param refusals - those in a row so far, as the run's row knows them
 */
export async function readCampaign(
  campaignId: string,
  refusals: RunItem['refusals'],
  work: CommandWork,
  deps: UpdateDeps,
): Promise<CampaignRead> {
  await deps.rateLimiter.take('reads');
  try {
    const { campaign } = await deps.gateway.getCampaign({ campaignId, requestId: work.context.attemptId });
    await deps.gate.answered();
    return { kind: 'read', reading: readingOf(campaign) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { verdict, result } = judge('get', error, refusals, work, deps);
    await deps.gate.failed(verdict, campaignId, error.message);
    const about = `campaign ${campaignId} could not be read`;
    if (result.kind === 'refused') return { ...result, detail: `${about}: ${result.detail}` };
    if (result.kind === 'applied') throw error;
    return { ...result, why: `${about}: ${result.why}` };
  }
}
