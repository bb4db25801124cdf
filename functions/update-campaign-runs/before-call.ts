import type { RequestKind } from '../_runtime/rate-limiter.ts';
import { longestSlotWaitMs, slotDelayMs } from '../_runtime/slot-queue.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { longestStopWaitMs, longestWaitMs, retryAfterPauseMs } from './retry-delay.ts';

/** What a command waits for before it may call the gateway. */
export interface Wait {
  readonly delayMs: number;
  readonly why: string;
}

/** Another attempt has the row, or won a conditional write: it is done in seconds. */
export const shortWaitMs = 2000;

/** A stop is not held at the gate for longer; after that it is its own probe. */
const longestStopHoldMs = 60_000;

const atGate = 'nobody calls the gateway at the moment';
const tooLate = 'too little time left for a call';

/** What keeps a start or an update from these calls; nothing is counted against it for that. */
export async function waitBeforeCalls(
  calls: readonly RequestKind[],
  work: CommandWork,
  deps: UpdateDeps,
): Promise<Wait | undefined> {
  const { context } = work;
  const gateMs = await deps.gate.waitMs(context.remainingMs);
  if (gateMs > 0) return { delayMs: retryAfterPauseMs(gateMs, work, deps), why: atGate };
  if (!hasTimeForCall(context, deps)) return { delayMs: shortWaitMs, why: tooLate };
  const [first, ...others] = calls;
  const slotWaitMs = first === undefined ? 0 : deps.rateLimiter.waitMs(first, ...others);
  if (slotWaitMs <= longestSlotWaitMs) return undefined;
  const { slotQueue, random } = deps;
  const { spacingMs } = slotQueue;
  const longestMs = longestWaitMs(work);
  const delayMs = slotDelayMs({ slotWaitMs, waiting: slotQueue.waiting(), spacingMs, longestMs, random });
  slotQueue.sentBack();
  return { delayMs, why: 'other changes of runs have their slots first' };
}

/**
 * What keeps a stop from its call. It waits for its slot, which comes in seconds, and a minute at most at a closed gate, counted from when its
 * message was sent: a run that nobody stops does harm, and stops repeat freely.
 * @param gateMs - how long the gate has everybody wait
 */
export function waitBeforeStop(
  gateMs: number,
  { record, context }: CommandWork,
  deps: Pick<UpdateDeps, 'rateLimiter' | 'callBudgetMs'>,
): Wait | undefined {
  const heldMs = context.now().getTime() - record.sentAt.getTime();
  const holdMs = Math.min(gateMs, longestStopHoldMs - Math.max(0, heldMs));
  if (holdMs > 0) return { delayMs: holdMs, why: atGate };
  const slotWaitMs = deps.rateLimiter.waitMs('runs');
  if (context.remainingMs() - slotWaitMs >= deps.callBudgetMs) return undefined;
  return { delayMs: Math.min(longestStopWaitMs, Math.max(shortWaitMs, slotWaitMs)), why: tooLate };
}

/** Whether a call that begins now ends, and is written down, before the platform cuts this attempt. */
export function hasTimeForCall(context: CommandWork['context'], { callBudgetMs }: UpdateDeps): boolean {
  return context.remainingMs() >= callBudgetMs;
}
