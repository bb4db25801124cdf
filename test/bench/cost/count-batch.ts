import { outputOf, platformLogBytes } from './output-of.ts';

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
export const batchesCounted = 4;

/**
 * Handles full batches in a process of its own, and counts what it writes.
 * @throws Error where an upload was not applied
 */
export async function countBatch(): Promise<BatchCounts> {
  const { bytes, lines, told } = await outputOf('batch-process.ts');
  const { recentBytes } = told as { readonly recentBytes: number };
  return { logBytes: bytes / batchesCounted + platformLogBytes, logLines: lines / batchesCounted, recentBytes };
}
