import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import type { AwaitedConfirmation } from '../../shared/ledger/items.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import type { Start } from './start-reservation.ts';
import type { StartTimes } from './start-times.ts';

/**
 * What is to show that a start took place: kept in the run's row, so that no later configuration forgets to look for it. Nothing where only
 * observed: the campaign will not change. Pure.
 * @param before - the campaign as it read before the PATCH
 */
export function awaitedConfirmation(
  { policy, deps, work }: Pick<Start, 'policy' | 'deps' | 'work'>,
  { effectAt }: StartTimes,
  before: CampaignReading | undefined,
): AwaitedConfirmation | undefined {
  const { campaignId, run } = policy;
  const confirm = run?.confirm;
  if (confirm === undefined || campaignId === undefined || deps.config.mode === 'observe') return undefined;
  const { by, within } = confirm;
  const reading = before?.[by];
  return {
    commandId: work.command.id,
    campaignId,
    by,
    ...(reading === undefined ? {} : { before: reading }),
    until: new Date(Date.parse(effectAt) + (durationMs(within) ?? 0)).toISOString(),
  };
}
