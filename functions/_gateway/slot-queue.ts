import type { Random } from '#shared/gateway-client/index.ts';
import type { LimiterClock } from './rate-limiter.ts';

/** How many messages one environment has sent back to their queue because its slots were taken, as far as their time has not come. */
export interface SlotQueue {
  /** Time between two slots of this environment. */
  readonly spacingMs: number;
  /** Messages that are due before one that is sent back now. */
  readonly waiting: () => number;
  /** Tells that one more message went back for its slot. */
  readonly sentBack: () => void;
}

/**
 * Messages for each slot. A message may come back to an environment whose slot is taken, and a slot without a message is lost, while a
 * message without a slot costs one short delivery (docs/adr/0031-a-distance-between-any-two-requests.md has the figures).
 */
const messagesPerSlot = 2;

/** A start that is this close to its slot waits for it in process. Farther ones go back, so that the next message may be a stop. */
export const longestSlotWaitMs = 1000;

/**
 * Counts the messages that wait for the slots of one environment. The count falls by itself as their slots pass.
 * @param spacingMs - time between two slots of this environment
 */
export function createSlotQueue(
  spacingMs: number,
  monotonicMs: LimiterClock['monotonicMs'] = () => performance.now(),
): SlotQueue {
  const stepMs = spacingMs / messagesPerSlot;
  let endsAt = -Infinity;
  return {
    spacingMs,
    waiting: () => Math.max(0, Math.ceil((endsAt - monotonicMs()) / stepMs)),
    sentBack() {
      endsAt = Math.max(endsAt, monotonicMs()) + stepMs;
    },
  };
}

/**
 * How long a message that only waited for its slot stays out of sight: until the slot that is left for it behind those that wait already.
 * It follows the slots and not the number of deliveries. It comes back up to 1 s before the slot, since a queue knows whole seconds only.
 * If that is later than it can wait, it comes back in the second half of the time that it can wait: a slot may have become free by then.
 */
export function slotDelayMs(of: {
  /** Until the next slot of this environment. */
  readonly slotWaitMs: number;
  /** From `SlotQueue.waiting`. */
  readonly waiting: number;
  readonly spacingMs: number;
  /** The longest that the message may wait, such as a quarter of the validity that is left. @default any time */
  readonly longestMs?: number;
  readonly random: Random;
}): number {
  const { slotWaitMs, waiting, spacingMs, longestMs = Infinity, random } = of;
  const behindMs = Math.floor(waiting / messagesPerSlot) * spacingMs;
  const delayMs = Math.max(0, slotWaitMs + behindMs - longestSlotWaitMs * random());
  return delayMs <= longestMs ? delayMs : longestMs * (1 - random() / 2);
}
