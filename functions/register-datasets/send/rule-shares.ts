import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { createRateLimiter, type LimiterClock } from '../../_gateway/rate-limiter.ts';
import { createSlotQueue, slotDelayMs } from '../../_gateway/slot-queue.ts';

/** The part of this environment's slots that the uploads of one rule may take. */
export interface RuleShare {
  /**
   * Takes the next slot of the rule if it is now. It never waits in process: the uploads of other rules are next in the batch.
   * @returns how long the message stays out of sight, if the slot is later
   */
  readonly takeOrDelayMs: () => number | undefined;
}

/**
 * Makes the shares of the rules that have one, by prefix (docs/adr/0041-a-share-of-the-rate-for-each-rule.md).
 * @param requestsPerSecond - this environment's share of the rate of all uploads
 */
export function createRuleShares(
  rules: readonly Pick<ResolvedDatasetRule, 'prefix' | 'share'>[],
  requestsPerSecond: number,
  clock?: LimiterClock,
): ReadonlyMap<string, RuleShare> {
  const shares = new Map<string, RuleShare>();
  for (const { prefix, share } of rules) {
    if (share !== undefined) shares.set(prefix, createRuleShare(requestsPerSecond * share, clock));
  }
  return shares;
}

/**
 * Messages of a rule that come back for each of its slots, in units of the two of `SlotQueue`. They come back at whole seconds and to whichever
 * environment is free, and wait in none. In hours on a virtual clock a flood took 51 % of its share with 1, and 66 % with 2 (2026-11-23).
 */
const messagesPerSlot = 2;

function createRuleShare(requestsPerSecond: number, clock: LimiterClock | undefined): RuleShare {
  const stepMs = 1000 / requestsPerSecond / messagesPerSlot;
  const limiter = createRateLimiter({ uploads: requestsPerSecond }, { clock });
  const sentBack = createSlotQueue(stepMs, clock?.monotonicMs);
  return {
    takeOrDelayMs() {
      const slotWaitMs = limiter.waitMs('uploads');
      if (slotWaitMs === 0) {
        // Nothing was awaited in between, so the slot is still now.
        void limiter.take('uploads');
        return undefined;
      }
      // It comes back at its slot or in the second after it: before it, it would be sent back behind all others.
      const delayMs = slotDelayMs({ slotWaitMs, waiting: sentBack.waiting(), spacingMs: stepMs, random: () => 0 });
      sentBack.sentBack();
      return delayMs;
    },
  };
}
