/**
 * AWS::Lambda::EventSourceMapping from SQS: takes batches from a queue, invokes the function with
 * each, deletes what succeeded and leaves what failed for its visibility timeout.
 *
 * One loop takes the messages, and up to MaximumConcurrency batches are with the function at a
 * time; at the limit nothing is taken. So an idle mapping costs one waiting request, with any
 * concurrency.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchLine, deliverBatch, sayOnce } from './handle-batch.ts';
import {
  type LocalMapping,
  type MappingPorts,
  openQueueReader,
  type QueueReader,
  type ReceivedMessage,
} from './mapping.ts';

/** A running mapping. */
export interface EventSourceMapping {
  /** Batches that are with the function now. */
  readonly inFlight: () => number;
  /**
   * Takes no more batches; resolves when the last one has been dealt with. Close the function host
   * beside it.
   */
  readonly close: () => Promise<void>;
}

const DEFAULT_BATCH_SIZE = 10;
const DEFAULT_CONCURRENCY = 5;

/** After a failed request the next one waits this long, doubling up to the limit. */
const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 5000;

/** While a window fills, the queue is looked at this often. */
const WINDOW_LOOK_MS = 100;

/** Starts a mapping; a disabled one does nothing. */
export function startEventSourceMapping(mapping: LocalMapping, ports: MappingPorts): EventSourceMapping {
  if (!mapping.enabled) return { inFlight: () => 0, close: async () => {} };

  const queue = openQueueReader(ports.access);
  const say = sayOnce(`Event source mapping of ${mapping.functionName} (${mapping.queueArn})`, ports.log);
  const batches = new Set<Promise<void>>();
  const ending = new AbortController();

  const running = takeBatches({ mapping, ports, queue, say }, batches, ending.signal);
  return {
    inFlight: () => batches.size,
    async close() {
      ending.abort();
      await running;
      await Promise.all(batches);
      queue.close();
    },
  };
}

/** Takes batches until the end, and keeps those that are with the function in `batches`. */
async function takeBatches(line: BatchLine, batches: Set<Promise<void>>, ending: AbortSignal): Promise<void> {
  const { mapping, ports, queue, say } = line;
  let backOffMs = FIRST_BACK_OFF_MS;
  let hasLooked = false;
  while (!ending.aborted) {
    if (batches.size >= (mapping.maximumConcurrency ?? DEFAULT_CONCURRENCY)) {
      await Promise.race(batches);
      continue;
    }
    try {
      if (!hasLooked) await queue.look();
      hasLooked = true;
      await ports.calls.takeUp(async () => {
        const messages = await gatherBatch(queue, mapping, ending);
        // Taken by the last request that was still waiting. If the role may not give them back,
        // time will.
        if (ending.aborted) return queue.giveBack(messages).catch(() => {});
        if (messages.length === 0) return;
        const batch = ports.calls.goOn(deliverBatch(messages, line)).finally(() => batches.delete(batch));
        batches.add(batch);
      });
      say.fine('receive');
      backOffMs = FIRST_BACK_OFF_MS;
    } catch (error) {
      say.problem('receive', error);
      await pause(backOffMs, ending);
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
    }
  }
}

/** Takes up to a batch; if a window is set, goes on until it is over or the batch is full. */
async function gatherBatch(
  queue: QueueReader,
  { batchSize = DEFAULT_BATCH_SIZE, maximumBatchingWindowSeconds = 0 }: LocalMapping,
  ending: AbortSignal,
): Promise<readonly ReceivedMessage[]> {
  const batch = [...(await queue.receive(batchSize, true))];
  const windowEnds = performance.now() + maximumBatchingWindowSeconds * 1000;
  while (batch.length > 0 && batch.length < batchSize && performance.now() < windowEnds && !ending.aborted) {
    // A request that fails now must not cost the messages already taken; the next batch will meet
    // the same failure.
    const more = await queue.receive(batchSize - batch.length, false).catch(() => []);
    batch.push(...more);
    if (more.length === 0) await pause(WINDOW_LOOK_MS, ending);
  }
  return batch;
}

async function pause(milliseconds: number, ending: AbortSignal): Promise<void> {
  if (ending.aborted) return;
  try {
    await sleep(milliseconds, undefined, { signal: ending });
  } catch (error) {
    if (!ending.aborted) throw error;
  }
}
