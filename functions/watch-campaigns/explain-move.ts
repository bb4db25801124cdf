import type { CampaignReading } from '../../shared/ledger/campaign-reading.ts';
import type { CampaignLookItem } from '../../shared/ledger/items.ts';

/** Starts of ours that a move of a campaign may be due to, by command id. */
export type OwnStarts = CampaignLookItem['ours'];

/** What of a move our own starts explain. */
export interface MoveExplained {
  /** Starts that nobody here asked for; 0: none. */
  readonly elsewhere: number;
  /** Our starts, those that the move shows counted. */
  readonly ours: OwnStarts;
}

/**
 * Whether somebody else started the campaign between two readings. `runCount` decides where it grew: each start of ours accounts for one run
 * of it, once, whether the gateway counts when it is told, when the run begins or when it ends. Where only `lastRunAt` moved, any start of
 * ours that may still show accounts for it. A count that falls was set back by hand: no start. Pure.
 */
export function explainMove(before: CampaignReading, after: CampaignReading, ours: OwnStarts): MoveExplained {
  const grown = grownBy(before.runCount, after.runCount);
  if (grown > 0) {
    const uncounted = Object.keys(ours).filter((id) => ours[id]?.isCounted !== true);
    const shown = new Set(uncounted.slice(0, grown));
    return { elsewhere: grown - shown.size, ours: withCounted(ours, shown) };
  }
  const isOther = after.lastRunAt !== undefined && after.lastRunAt !== before.lastRunAt;
  return { elsewhere: isOther && Object.keys(ours).length === 0 ? 1 : 0, ours };
}

function grownBy(before: number | undefined, after: number | undefined): number {
  return before === undefined || after === undefined ? 0 : Math.max(0, after - before);
}

function withCounted(ours: OwnStarts, shown: ReadonlySet<string>): OwnStarts {
  return Object.fromEntries(
    Object.entries(ours).map(([id, start]) => [id, shown.has(id) ? { ...start, isCounted: true as const } : start]),
  );
}
