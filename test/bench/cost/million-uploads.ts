import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { rowLifeDays } from '#shared/ledger/rows/row-keys.ts';
import { deployProduct, drain } from '../drain/drain.ts';

import type { BatchCounts } from './count-batch.ts';
import type { UploadCounts } from './count-upload.ts';
import type { Usage } from './prices.ts';

const million = 1_000_000;

/** Memory of register-datasets, in GB. */
const memoryGb = 0.5;

/** How long the rows of an upload stay, in months. */
export const monthsKept = rowLifeDays.upload / (365 / 12);

/** A unit of a consistent read, for each begun 4 KB. */
const readUnitBytes = 4096;

/** Uploads whose time is taken: a hundred full batches. */
const timed = 1000;

/** What a million applied uploads take. */
export interface MillionUploads {
  /**
   * What the bar names: the requests of the queue, the writes of the upload's own rows, Lambda,
   * logs.
   */
  readonly named: Usage;
  /**
   * Everything that handling them takes: the same, and what the writes change in indexes, reads of
   * rows and of the object, the list of recent outcomes. Keeping their rows is `keepingMillion`.
   */
  readonly whole: Usage;
}

/**
 * What handling a million uploads takes, from what one was counted to take: full batches, no
 * trouble.
 * @param batch - what a batch of ten was seen to write beside that
 * @param seconds - of Lambda, for one upload; more of them where uploads wait for their turn
 */
export function millionUploads(one: UploadCounts, batch: BatchCounts, seconds: number): MillionUploads {
  const batches = million / uploadsBatchSize;
  const named = {
    sqsRequest: million + 2 * batches, // S3 sends one by one, Lambda receives and deletes by the batch
    ledgerWrite: million * (one.writeUnits - one.indexWriteUnits),
    lambdaRequest: batches,
    lambdaGbSecond: million * seconds * memoryGb,
    logGb: (batches * batch.logBytes) / 1e9,
  };
  // Each batch reads the gate, and reads and rewrites the list of recent outcomes.
  const whole = {
    ...named,
    ledgerWrite: million * one.writeUnits + batches * Math.ceil(batch.recentBytes / 1024),
    ledgerRead: million * one.readUnits + batches * (1 + Math.ceil(batch.recentBytes / readUnitBytes)),
    objectRead: million * one.objectReads,
    busEvent: million * one.events,
  };
  return { named, whole };
}

/**
 * What keeping the rows of a million uploads takes, from the day of the upload to the day they
 * expire. The objects in the bucket and the logs that are kept are not in it.
 */
export function keepingMillion({ kept }: UploadCounts): Usage {
  return {
    ledgerGbMonth: ((million * (kept.table + kept.indexes)) / 1e9) * monthsKept,
    // Indexes are made again when a table is restored, and cost nothing here
    // (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html).
    recoveryGbMonth: ((million * kept.table) / 1e9) * monthsKept,
  };
}

/**
 * Seconds of Lambda for one upload of a full batch, the queue being full all the time. The clock is
 * virtual: it passes while a worker waits for the ledger, the bucket, the gateway
 * (test/bench/drain/latencies.ts) or its turn, and its own CPU takes no time.
 * @param rate - `requestsPerSecond.datasets`, for which the function is deployed and to which it
 *   keeps. @default no upload waits for its turn
 * @throws Error if an upload was not done
 */
export async function secondsOfUpload(rate?: number): Promise<number> {
  const requestsPerSecond = rate ?? 1000; // more than one environment makes
  const unpaced = rate === undefined ? { isPaced: false, concurrency: 1 } : {};
  const { done, usage } = await drain({ messages: timed, requestsPerSecond, seed: 1 }, (world) =>
    deployProduct(world, { requestsPerSecond, ...unpaced }),
  );
  if (done !== timed) throw new Error(`${timed - done} uploads whose time was to be counted were not done`);
  return usage.busyMs / timed / 1000;
}
