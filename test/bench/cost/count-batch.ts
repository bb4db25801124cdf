import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { outputOf, platformLogBytes } from './output-of.ts';

/** What a batch of uploads takes beside what each upload takes. */
export interface BatchCounts {
  /** Log lines and metrics of one batch, and the lines that Lambda adds. */
  readonly logBytes: number;
  /** Lines of ours in one batch: its metrics are one. */
  readonly logLines: number;
  /** The list of recent outcomes, which every batch rewrites. */
  readonly recentBytes: number;
}

/** Batches that are handled: with full ones the list of recent outcomes is full then. */
export const batchesCounted = 4;

/**
 * Handles batches in a process of its own, and counts what it writes.
 * @param messages - of each batch. @default a full one
 * @throws Error if an upload was not applied
 */
export async function countBatch(messages = uploadsBatchSize): Promise<BatchCounts> {
  const { bytes, lines, told } = await outputOf('batch-process.ts', String(messages));
  const { recentBytes } = told as { readonly recentBytes: number };
  return { logBytes: bytes / batchesCounted + platformLogBytes, logLines: lines / batchesCounted, recentBytes };
}
