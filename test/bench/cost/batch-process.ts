/**
 * Handles batches of uploads, of as many messages as it is told, as the function does. What it
 * writes is counted by its parent, which also hears how large the list of recent outcomes is.
 */
import { randomUUID } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { createLog, createMetrics } from '#functions/_handler/output.ts';
import { handleBatch } from '#functions/_handler/queue-worker.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createUploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { batchesCounted } from './count-batch.ts';
import { plainRule } from '../plain-rule.ts';

const functionName = 'register-datasets';
const messages = Number(process.argv[2]);
const now = () => new Date();

const bench = createUploadBench({ rules: [plainRule] });
// As long as the gateway's own: it stands in the log and in the list.
bench.faults.gateway = async () => ({ id: randomUUID() });
const { setRequestId, ...log } = createLog({ functionName, stage: 'prod' });
const metrics = createMetrics({ functionName, stage: 'prod' });
const reports = createWorkerReports({ functionName, log, metrics, ledger: bench.ledger, now });

for (let batch = 0; batch < batchesCounted; batch += 1) {
  const requestId = `8f1d7b52-3c64-4d7e-9f55-0000000000${String(batch).padStart(2, '0')}`;
  setRequestId(requestId);
  const { batchItemFailures } = await handleBatch(
    eventOf(batch),
    { requestId, remainingMs: () => 120_000 },
    {
      reports,
      now,
      random: () => 0.5,
      recordBudgetMs: 10_000,
      postpone: async () => {},
      handleRecord: (record, context) => handleUploadMessage({ deps: bench.deps, record, context }),
    },
  );
  if (batchItemFailures.length > 0) throw new Error('an upload that was to be counted came back');
}
const recent = await bench.ledger.read(ledgerKeys.recent());
process.send?.({ recentBytes: Buffer.byteLength(JSON.stringify(recent)) }, () => process.disconnect());

function eventOf(batch: number): SQSEvent {
  const Records = Array.from({ length: messages }, (_, index) => {
    const number = String(batch * messages + index).padStart(4, '0');
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
