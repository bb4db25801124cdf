import { randomUUID } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { createLog, createMetrics } from '#functions/_handler/function-log.ts';
import { handleBatch } from '#functions/_handler/queue-worker.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createUploadBench, type UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { plainRule } from '../plain-rule.ts';

/** What a full batch of uploads takes beside what each upload takes. */
export interface BatchCounts {
  /** Log lines and metrics of one batch, and the lines that Lambda adds. */
  readonly logBytes: number;
  /** Lines of ours in one batch: its metrics are one. */
  readonly logLines: number;
  /** The list of recent outcomes, which every batch rewrites. */
  readonly recentBytes: number;
}

/** Batches that are handled: the list of recent outcomes is full then. */
const batches = 4;

const functionName = 'register-datasets';
const now = () => new Date();

/**
 * What Lambda itself writes about one invocation, in its text format, which is the one that is
 * deployed. A cold start adds its length, 30 bytes more
 * (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html).
 */
const platformLines = `START RequestId: c793869b-ee49-115b-a5b6-4fd21e8dedac Version: $LATEST
END RequestId: c793869b-ee49-115b-a5b6-4fd21e8dedac
REPORT RequestId: c793869b-ee49-115b-a5b6-4fd21e8dedac\tDuration: 175.83 ms\tBilled Duration: 176 ms\tMemory Size: 512 MB\tMax Memory Used: 164 MB\t
`;

/**
 * Handles full batches as the function does, and counts what it writes.
 * @throws Error if an upload was not applied
 */
export async function countBatch(): Promise<BatchCounts> {
  const bench = createUploadBench({ rules: [plainRule] });
  // As long as the gateway's own: it stands in the log and in the list.
  bench.faults.gateway = async () => ({ id: randomUUID() });
  const written = await writtenBy(async () => handleBatches(bench));
  const recent = await bench.ledger.read(ledgerKeys.recent());
  return {
    logBytes: Buffer.byteLength(written) / batches + Buffer.byteLength(platformLines),
    logLines: written.split('\n').filter(Boolean).length / batches,
    recentBytes: Buffer.byteLength(JSON.stringify(recent)),
  };
}

async function handleBatches(bench: UploadBench): Promise<void> {
  const { setRequestId, ...log } = createLog({ functionName, stage: 'prod' });
  const metrics = createMetrics({ functionName, stage: 'prod' });
  const worker = {
    reports: createWorkerReports({ functionName, log, metrics, ledger: bench.ledger, now }),
    now,
    random: () => 0.5,
    recordBudgetMs: 10_000,
    postpone: async () => {},
    handleRecord: (...[record, context]: Parameters<Parameters<typeof handleBatch>[2]['handleRecord']>) =>
      handleUploadMessage({ deps: bench.deps, record, context }),
  };
  for (let batch = 0; batch < batches; batch += 1) {
    const requestId = `8f1d7b52-3c64-4d7e-9f55-0000000000${String(batch).padStart(2, '0')}`;
    setRequestId(requestId);
    const invocation = { requestId, remainingMs: () => 120_000 };
    const { batchItemFailures } = await handleBatch(eventOf(batch, bench), invocation, worker);
    if (batchItemFailures.length > 0) throw new Error('an upload that was to be counted came back');
  }
}

/** What reaches the log during the work. Nothing else may write. */
async function writtenBy(work: () => Promise<void>): Promise<string> {
  const { stdout, stderr } = process;
  const before = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) };
  let text = '';
  stdout.write = stderr.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  try {
    await work();
  } finally {
    stdout.write = before.stdout;
    stderr.write = before.stderr;
  }
  return text;
}

function eventOf(batch: number, bench: UploadBench): SQSEvent {
  const Records = Array.from({ length: uploadsBatchSize }, (_, index) => {
    const number = String(batch * uploadsBatchSize + index).padStart(4, '0');
    const object = {
      key: `datasets/prompts-2026-11-20-${number}.csv`,
      versionId: `3HL4kqtJlcpXroDTDmJ.rmSpXd3d${number}`,
      body: `prompt,label\nquestion ${number},true\nwhat is the time?,false\n`,
    };
    return {
      messageId: `0b4c9a3e-6d52-4f0e-9a64-2f1f5f3d${number}`,
      receiptHandle: 'receipt',
      body: bench.put(object),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: String(Date.now()),
        SenderId: 's3',
        ApproximateFirstReceiveTimestamp: String(Date.now()),
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:uploads',
      awsRegion: 'eu-west-1',
    };
  });
  return { Records };
}
