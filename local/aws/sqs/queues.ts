/**
 * All queues, with long polling: the door that the SQS protocol and the runner's own deliveries
 * share.
 */
import type { LocalQueue } from './declared-queues.ts';
import { type DeliveryDisorder, type NewMessage, openQueueStore, type StoredMessage } from './queue-store.ts';

/** A receive, as SQS takes it. */
interface ReceiveOptions {
  readonly max: number;
  readonly visibilityMs: number;
  readonly waitMs: number;
  /** Aborted when the caller waits no longer: then no message is taken. */
  readonly gone: AbortSignal;
}

/** The queues, ready for use. */
export type Queues = ReturnType<typeof openQueues>;

/** The longest a waiting receiver sleeps between looks: the clock may be moved under it. */
const LONGEST_NAP_MS = 500;

/** Opens the queues kept in `dataDir`. */
export function openQueues(
  queues: ReadonlyMap<string, LocalQueue>,
  dataDir: string,
  now: () => number,
  disorder?: DeliveryDisorder,
) {
  const store = openQueueStore(dataDir, now, disorder);
  const waiting = new Map<string, Set<() => void>>();
  const closed = new AbortController();
  let endedWaits = 0;

  const wake = (queueName: string): void => {
    for (const wakeUp of waiting.get(queueName) ?? []) wakeUp();
  };
  const wakeAll = (): void => {
    for (const name of waiting.keys()) wake(name);
  };
  const nap = (queueName: string, ms: number, gone: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleepers = waiting.get(queueName) ?? new Set();
      waiting.set(queueName, sleepers);
      const wakeUp = (): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', wakeUp);
        sleepers.delete(wakeUp);
        resolve();
      };
      const timer = setTimeout(wakeUp, ms);
      gone.addEventListener('abort', wakeUp);
      sleepers.add(wakeUp);
    });

  return {
    store,
    /** Lets waiting receivers look again, after messages appeared by other ways than `send`. */
    wake,
    byName: (name: string) => queues.get(name),
    byArn: (arn: string) => [...queues.values()].find((queue) => queue.arn === arn),
    all: (): readonly LocalQueue[] => [...queues.values()],
    send(queue: LocalQueue, message: NewMessage): string {
      const id = store.send(queue, message);
      wake(queue.name);
      return id;
    },
    async receive(queue: LocalQueue, { max, visibilityMs, waitMs, gone }: ReceiveOptions): Promise<StoredMessage[]> {
      // Waiting is wall time even when the emulated clock has been moved.
      const deadline = performance.now() + waitMs;
      const endedBefore = endedWaits;
      while (!gone.aborted && !closed.signal.aborted) {
        const messages = store.receive(queue, max, visibilityMs);
        const left = deadline - performance.now();
        if (messages.length > 0 || left <= 0 || endedWaits > endedBefore) return messages;
        await nap(queue.name, Math.min(left, LONGEST_NAP_MS, store.nextVisibleInMs(queue.name) ?? left) + 1, gone);
      }
      return [];
    },
    /** Ends every wait for a message: a receiver that waits now gets what there is, or nothing. */
    endWaits() {
      endedWaits += 1;
      wakeAll();
    },
    depths: () => Object.fromEntries([...queues.keys()].map((name) => [name, store.depth(name)])),
    close() {
      closed.abort();
      wakeAll();
      store.close();
    },
  };
}
