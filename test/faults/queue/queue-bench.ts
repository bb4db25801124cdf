import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Outcome } from '#functions/_handler/queue-record.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { stageNumbers } from '#infra/config/stage-numbers.ts';
import { createUploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { createVirtualQueue } from '../model/world/virtual-queue.ts';

const { timeoutSeconds, visibilitySeconds } = stageNumbers('prod');
const functionMs = timeoutSeconds['register-datasets'] * 1000;
const batchSize = 10;

/** A queue on the clock of a test, whose mapping polls when the test says so. */
export function createPolledQueue(nowMs: () => number, visibilityMs: number) {
  const queue = createVirtualQueue({ nowMs, at: () => {}, between: (least) => least }, { name: 'queue', visibilityMs });
  return {
    send: (body: string) => queue.send(body),
    left: () => queue.size(),
    postpone: async (receipt: string, delayMs: number) => queue.postpone(receipt, delayMs),
    /**
     * One round of the mapping. What is named in the answer, or is in a batch that fails, is visible
     * again after its visibility timeout; everything else is deleted.
     * @returns how many messages the function was given
     */
    async poll(invoke: (event: SQSEvent) => Promise<SQSBatchResponse>): Promise<number> {
      const batch = queue.receive(batchSize);
      if (batch.length === 0) return 0;
      const answer = await invoke({ Records: [...batch] }).catch(() => undefined);
      const failed = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId, receiptHandle } of answer === undefined ? [] : batch)
        if (!failed.has(messageId)) queue.remove(receiptHandle);
      return batch.length;
    },
  };
}

const say = () => {};

/** The wrapper's reports, kept: what it would log and count. */
export function keptReports() {
  const outcomes: Outcome[] = [];
  const reports: QueueWorker['reports'] = {
    log: { debug: say, info: say, warn: say, error: say },
    count: () => {},
    level: () => {},
    reportBatch: async (ended) => void outcomes.push(...ended),
  };
  return { outcomes, reports };
}

/**
 * The uploads queue with its worker behind the real wrapper, all on the clock of the upload bench.
 */
export function createUploadsQueue() {
  const bench = createUploadBench();
  const { outcomes, reports } = keptReports();
  const queue = createPolledQueue(() => bench.state.nowMs, visibilitySeconds.uploads * 1000);
  let invocations = 0;
  const worker: QueueWorker = {
    handleRecord: (record, context) => handleUploadMessage({ deps: bench.deps, record, context }),
    postpone: queue.postpone,
    recordBudgetMs: 1000,
    reports,
    now: () => new Date(bench.state.nowMs),
    random: bench.deps.random,
  };

  async function invoke(event: SQSEvent): Promise<SQSBatchResponse> {
    invocations += 1;
    bench.state.remainingMs = functionMs;
    return handleBatch(event, { requestId: `i${invocations}`, remainingMs: () => bench.state.remainingMs }, worker);
  }

  return { bench, queue, outcomes, invoke };
}
