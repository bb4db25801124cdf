import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningStage } from '#local/stage/run-stage.ts';
import { messagesIn } from './pass-time.ts';

/** What is not done by then counts as not done. */
const longestDrainMs = 15 * 60_000;
const lookEveryMs = 250;
/** Seen empty so often, one look after the other: a worker may be about to send a command. */
const emptyLooks = 4;

/** A blackout ends, and the watcher sends what it deferred. */
const stepMs = 60_000;
/** A tick of the watcher begins and ends within this. */
const tickMs = 3000;

/** What a drain waits for. */
export interface Draining {
  readonly running: RunningStage;
  /** Queues that nobody empties. */
  readonly isLeftAlone: (queueName: string) => boolean;
  /** Whether starts wait for the end of a blackout: in no queue. */
  readonly hasDeferred: () => Promise<boolean>;
  readonly moveForward: (ms: number) => void;
}

/** Waits until no message is left, no start is deferred and no function is busy; answers how many messages are left in the end. */
export async function drain(draining: Draining, interrupted: AbortSignal): Promise<number> {
  const { running, isLeftAlone, hasDeferred, moveForward } = draining;
  const until = performance.now() + longestDrainMs;
  for (let empty = 0; ;) {
    const { visible, hidden } = messagesIn(running, isLeftAlone);
    empty = visible + hidden === 0 && running.host.busyCount() === 0 ? empty + 1 : 0;
    if (performance.now() > until) return visible + hidden;
    if (empty >= emptyLooks) {
      if (!(await hasDeferred())) return visible + hidden;
      empty = 0;
      moveForward(stepMs);
      await sleep(tickMs);
    }
    await sleep(lookEveryMs);
    interrupted.throwIfAborted();
  }
}
