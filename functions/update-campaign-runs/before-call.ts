import type { CommandWork, UpdateDeps } from './deps.ts';
import { retryAfterPauseMs } from './retry-delay.ts';

/** What a command waits for before it may call the gateway. */
export interface Wait {
  readonly delayMs: number;
  readonly why: string;
}

/** Another attempt has the row, or won a conditional write: it is done in seconds. */
export const shortWaitMs = 2000;

/** A start that would have to wait longer for its turn makes room: the next message may be a stop. */
const longestTurnMs = 1000;

/** Starts that wait for their turn come back over this long at most. */
const longestSpreadMs = 30_000;

/** A stop is not held at the gate for longer; after that it is its own probe. */
const longestStopHoldMs = 60_000;

const atGate = 'nobody calls the gateway at the moment';
const tooLate = 'too little time left for a call';

/** What keeps a start or an update from these calls; nothing is counted against it for that. */
export async function waitBeforeCalls(
  calls: readonly (keyof UpdateDeps['turns'])[],
  work: CommandWork,
  deps: UpdateDeps,
): Promise<Wait | undefined> {
  const { record, context } = work;
  const gateMs = await deps.gate.waitMs();
  if (gateMs > 0) return { delayMs: retryAfterPauseMs(gateMs, work, deps), why: atGate };
  if (!hasTimeForCall(context, deps)) return { delayMs: shortWaitMs, why: tooLate };
  const turnMs = Math.max(...calls.map((call) => deps.turns[call].waitMs()));
  if (turnMs <= longestTurnMs) return undefined;
  const spreadMs = Math.min(longestSpreadMs, shortWaitMs * record.receiveCount);
  return { delayMs: turnMs + spreadMs * deps.random(), why: 'other changes of runs have their turn first' };
}

/**
 * What keeps a stop from its call. It waits for its turn, which comes in seconds, and a minute at most at a closed gate, counted from when its
 * message was sent: a run that nobody stops does harm, and stops repeat freely.
 * @param gateMs - how long the gate has everybody wait
 */
export function waitBeforeStop(
  gateMs: number,
  { record, context }: CommandWork,
  deps: Pick<UpdateDeps, 'turns' | 'callBudgetMs'>,
): Wait | undefined {
  const heldMs = context.now().getTime() - record.sentAt.getTime();
  const holdMs = Math.min(gateMs, longestStopHoldMs - Math.max(0, heldMs));
  if (holdMs > 0) return { delayMs: holdMs, why: atGate };
  return context.remainingMs() - deps.turns.runs.waitMs() < deps.callBudgetMs
    ? { delayMs: shortWaitMs, why: tooLate }
    : undefined;
}

/** Whether a call that begins now ends, and is written down, before the platform cuts this attempt. */
export function hasTimeForCall(context: CommandWork['context'], { callBudgetMs }: UpdateDeps): boolean {
  return context.remainingMs() >= callBudgetMs;
}
