import { GatewayError } from '../../shared/gateway-client/index.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { resultOfFailure } from './change-run.ts';
import { type Conclusion, parked } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import type { RunPolicy } from './run-policy.ts';

/** What of a campaign tells whether a run of it has started. */
export type CampaignReading = NonNullable<NonNullable<RunItem['inDoubt']>['before']>;

/** A reading (none where no campaign is known), a wait, or a reason to park. */
export type CampaignRead =
  | { readonly kind: 'read'; readonly reading: CampaignReading | undefined }
  | { readonly kind: 'later'; readonly result: RecordResult }
  | { readonly kind: 'parked'; readonly conclusion: Conclusion };

/** `GET campaign`: before a start, and again where a start's outcome is unknown. A read that fails is tried again, never taken for an answer. */
export async function readCampaign(policy: RunPolicy, work: CommandWork, deps: UpdateDeps): Promise<CampaignRead> {
  const { campaignId } = policy;
  if (campaignId === undefined) return { kind: 'read', reading: undefined };
  try {
    const { campaign } = await deps.gateway.getCampaign({ campaignId });
    const { runCount, lastRunAt } = campaign;
    return {
      kind: 'read',
      reading: {
        ...(typeof runCount === 'number' ? { runCount } : {}),
        ...(typeof lastRunAt === 'string' ? { lastRunAt } : {}),
      },
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const result = resultOfFailure('get', error, undefined, work, deps);
    if (result.kind === 'refused') {
      const { reason, detail, evidence } = result;
      return { kind: 'parked', conclusion: parked(reason, `campaign ${campaignId}: ${detail}`, { evidence }) };
    }
    const delayMs = result.kind === 'applied' ? 0 : result.delayMs;
    return { kind: 'later', result: later(delayMs, `campaign ${campaignId} could not be read: ${error.message}`) };
  }
}
