import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Outcome } from '#functions/_handler/outcome.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { stageNumbers } from '#infra/config/stage-numbers.ts';
import { createUploadBench, type UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { createVirtualQueue, type VirtualQueue, type VirtualQueueOptions } from './virtual-queue.ts';

const hourMs = 3_600_000;
const { timeoutSeconds, visibilitySeconds } = stageNumbers('prod');
const functionMs = timeoutSeconds['register-datasets'] * 1000;

/** As every queue of the template: the sweeps in `test/infra` hold these two. */
const deployed = { mostReceives: 1000, retentionMs: 14 * 24 * hourMs };

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

/** The uploads queue with its worker behind the real wrapper, all on the clock of the upload bench. */
export function createUploadsQueue(options: Partial<Pick<VirtualQueueOptions, 'mostReceives'>> = {}) {
  const bench = createUploadBench();
  const { outcomes, reports } = keptReports();
  const queue = createVirtualQueue({
    nowMs: () => bench.state.nowMs,
    visibilityMs: visibilitySeconds.uploads * 1000,
    ...deployed,
    ...options,
  });
  let invocations = 0;
  const worker: QueueWorker = {
    handleRecord: (record, context) => handleUploadMessage(bench.deps, record, context),
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

/** Lets one environment work on a queue for so long, or until it is empty; the clock jumps to the next message that is to be seen. */
export async function workFor(
  hours: number,
  { bench, queue }: { readonly bench: Pick<UploadBench, 'state' | 'pass'>; readonly queue: VirtualQueue },
  invoke: (event: SQSEvent) => Promise<SQSBatchResponse>,
): Promise<void> {
  const endMs = bench.state.nowMs + hours * hourMs;
  while (bench.state.nowMs < endMs) {
    if ((await queue.poll(invoke)) > 0) continue;
    const nextMs = queue.nextVisibleAtMs();
    if (nextMs === undefined) return;
    bench.pass(Math.min(nextMs, endMs) - bench.state.nowMs);
  }
}
