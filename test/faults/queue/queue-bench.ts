import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Outcome } from '#functions/_handler/queue-record.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { stageNumbers } from '#infra/config/stage-numbers.ts';
import { createUploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';

/** How a queue is set up, and the clock that it goes by. */
export interface VirtualQueueOptions {
  readonly nowMs: () => number;
  readonly visibilityMs: number;
  /** Receives before a message is dead-lettered. */
  readonly mostReceives: number;
  /** Counted from the send. */
  readonly retentionMs: number;
}

interface Message {
  readonly record: SQSRecord;
  readonly sentAtMs: number;
  visibleAtMs: number;
  receives: number;
}

const batchSize = 10;

/**
 * Makes a queue that keeps to what SQS and Lambda document: a receive counts whatever becomes of
 * it. What is named in the answer, or is in a batch that fails or is throttled, is visible again
 * after its visibility timeout; everything else is deleted.
 */
export function createVirtualQueue(options: VirtualQueueOptions) {
  const messages = new Map<string, Message>();
  const deadLetters: string[] = [];
  const expired: string[] = [];
  let sent = 0;

  function send(body: string): string {
    sent += 1;
    const messageId = `message-${sent}`;
    const record = recordOf(messageId, body, options.nowMs());
    messages.set(messageId, { record, sentAtMs: options.nowMs(), visibleAtMs: options.nowMs(), receives: 0 });
    return messageId;
  }

  function receive(): SQSRecord[] {
    const nowMs = options.nowMs();
    const batch: SQSRecord[] = [];
    for (const [id, message] of messages) {
      if (batch.length === batchSize) break;
      if (nowMs - message.sentAtMs > options.retentionMs) {
        messages.delete(id);
        expired.push(id);
      } else if (message.visibleAtMs <= nowMs) {
        if (message.receives === options.mostReceives) {
          messages.delete(id);
          deadLetters.push(id);
        } else batch.push(taken(message, nowMs));
      }
    }
    return batch;
  }

  function taken(message: Message, nowMs: number): SQSRecord {
    message.receives += 1;
    message.visibleAtMs = nowMs + options.visibilityMs;
    const { record } = message;
    return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: String(message.receives) } };
  }

  return {
    send,
    deadLetters,
    expired,
    left: () => messages.size,

    postpone: async (receiptHandle: string, delayMs: number): Promise<void> => {
      const message = messages.get(receiptHandle);
      if (message !== undefined) message.visibleAtMs = options.nowMs() + Math.ceil(delayMs / 1000) * 1000;
    },

    /**
     * One round of the mapping; a function that throws has failed, or was throttled. @returns how
     * many messages it was given
     */
    async poll(invoke: (event: SQSEvent) => Promise<SQSBatchResponse>): Promise<number> {
      const batch = receive();
      if (batch.length === 0) return 0;
      const answer = await invoke({ Records: batch }).catch(() => undefined);
      const failed = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId } of answer === undefined ? [] : batch)
        if (!failed.has(messageId)) messages.delete(messageId);
      return batch.length;
    },
  };
}

function recordOf(messageId: string, body: string, sentAtMs: number): SQSRecord {
  return {
    messageId,
    body,
    receiptHandle: messageId,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(sentAtMs),
      SenderId: 'test',
      ApproximateFirstReceiveTimestamp: String(sentAtMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:uploads',
    awsRegion: 'eu-west-1',
  };
}

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

/**
 * The uploads queue with its worker behind the real wrapper, all on the clock of the upload bench.
 */
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
