import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import {
  type AwaitedConfirmation,
  type ConfirmationItem,
  ledgerKeys,
  type RunItem,
} from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';

/** A start in flight whose sign has not been seen. */
export interface AwaitedStart {
  readonly row: RunItem;
  readonly awaited: AwaitedConfirmation;
  /** The row of its confirmation; of an earlier wait where a person had the start repeated. */
  readonly known: Stored<ConfirmationItem> | undefined;
  /** It was reported as missing; it is looked for where its campaign is read anyway. */
  readonly isMissing: boolean;
}

/** The starts in flight whose sign has not been seen. A run that is stopped is waited for no more. */
export async function readAwaitedStarts(
  runs: readonly RunItem[],
  ledger: Pick<Ledger, 'read'>,
): Promise<readonly AwaitedStart[]> {
  const found: AwaitedStart[] = [];
  for (const row of runs) {
    const { confirm: awaited, campaignRunId } = row;
    if (awaited === undefined) continue;
    const { commandId, until } = awaited;
    const known = await ledger.read<ConfirmationItem>(ledgerKeys.confirmation({ campaignRunId, commandId }));
    const isOfThisWait = known?.awaited.until === until;
    if (isOfThisWait && known.confirmed !== undefined) continue;
    found.push({ row, awaited, known, isMissing: isOfThisWait && known.missingSince !== undefined });
  }
  return found;
}

/** What the campaign shows if it shows the sign. Pure. */
export function signOf({ by, before }: AwaitedConfirmation, reading: CampaignReading): number | string | undefined {
  if (by === 'lastRunAt') return reading.lastRunAt === before ? undefined : reading.lastRunAt;
  const { runCount } = reading;
  return typeof before === 'number' && runCount !== undefined && runCount <= before ? undefined : runCount;
}
