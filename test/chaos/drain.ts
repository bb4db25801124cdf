import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningStage } from '../../local/stage/run-stage.ts';
import { messagesIn } from './pass-time.ts';

/** What is not done by then counts as not done. */
const longestDrainMs = 15 * 60_000;
const lookEveryMs = 250;
/** Seen empty so often, one look after the other: a worker may be about to send a command. */
const emptyLooks = 4;

/**
 * Waits until no message is left and no function is busy; answers how many are left in the end.
 * @param isLeftAlone - queues that nobody empties
 */
export async function drain(
  running: RunningStage,
  isLeftAlone: (queueName: string) => boolean,
  interrupted: AbortSignal,
): Promise<number> {
  const until = performance.now() + longestDrainMs;
  for (let empty = 0; ;) {
    const { visible, hidden } = messagesIn(running, isLeftAlone);
    empty = visible + hidden === 0 && running.host.busyCount() === 0 ? empty + 1 : 0;
    if (empty >= emptyLooks || performance.now() > until) return visible + hidden;
    await sleep(lookEveryMs);
    interrupted.throwIfAborted();
  }
}
