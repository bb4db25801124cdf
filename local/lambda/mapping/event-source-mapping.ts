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
import { type LocalMapping, type MappingPorts, openQueueReader } from './mapping.ts';

/** A running mapping. */
export interface EventSourceMapping {
  /**
   * Takes no more batches; resolves when the last one has been dealt with. Close the function host
   * beside it.
   */
  readonly close: () => Promise<void>;
}

const DEFAULT_CONCURRENCY = 5;

/** After a failed request the next one waits this long, doubling up to the limit. */
const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 5000;

/** Starts a mapping; a disabled one does nothing. */
export function startEventSourceMapping(mapping: LocalMapping, ports: MappingPorts): EventSourceMapping {
  if (!mapping.enabled) return { close: async () => {} };

  const queue = openQueueReader(ports.access);
  const say = sayOnce(`Event source mapping of ${mapping.functionName} (${mapping.queueArn})`, ports.log);
  const batches = new Set<Promise<void>>();
  const ending = new AbortController();

  const running = takeBatches({ mapping, ports, queue, say }, batches, ending.signal);
  return {
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
        const messages = await queue.receive(mapping.batchSize);
        // What the last request took while the run ends is visible again when the next one starts.
        if (ending.aborted || messages.length === 0) return;
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

async function pause(milliseconds: number, ending: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: ending }).catch(() => {});
}
