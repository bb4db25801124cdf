import { uploadsBatchSize } from '../../../infra/config/concurrency.ts';
import { uploadsAtOnce } from '../../../shared/uploads/uploads-at-once.ts';
import type { BatchCounts } from './count-batch.ts';
import type { UploadCounts } from './count-upload.ts';
import type { Usage } from './usage.ts';

const million = 1_000_000;

/** What a record waits for, in seconds: performance.md's gateway, and what DynamoDB and S3 usually answer within from a function near by. */
const latency = { gateway: 0.04, ledger: 0.005, object: 0.02 };

/** Memory of register-datasets, in GB. */
const memoryGb = 0.5;

/** One batch reads the gate, and reads and rewrites the list of recent outcomes. */
const perBatch = { reads: 2, writes: 1 };

/** A unit of a consistent read, for each begun 4 KB. */
const readUnitBytes = 4096;

/**
 * What a million applied uploads take, from what one was counted to take: full batches, no trouble, a rate that never makes a function wait.
 * @param batch - what a batch of ten was seen to write beside that
 */
export function millionUploads(one: UploadCounts, batch: BatchCounts): Usage {
  const batches = million / uploadsBatchSize;
  const secondsOfRecord =
    latency.gateway + (one.reads + one.writes.length) * latency.ledger + one.objectReads * latency.object;
  // Those of a batch that are under way together wait together.
  const inTurn = Math.ceil(uploadsBatchSize / uploadsAtOnce);
  const secondsOfBatch = secondsOfRecord * inTurn + (perBatch.reads + perBatch.writes) * latency.ledger;
  return {
    sqsRequest: million + 2 * batches, // S3 sends one by one, Lambda receives and deletes by the batch
    ledgerWrite: million * one.writeUnits + batches * Math.ceil(batch.recentBytes / 1024),
    ledgerRead: million * one.readUnits + batches * (1 + Math.ceil(batch.recentBytes / readUnitBytes)),
    objectRead: million * one.objectReads,
    busEvent: million * one.events,
    lambdaRequest: batches,
    lambdaGbSecond: batches * secondsOfBatch * memoryGb,
    logGb: (batches * batch.logBytes) / 1e9,
  };
}
