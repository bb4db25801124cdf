import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { plainEnvironment } from '../measure/run-subject.ts';

/** What a full batch of uploads takes beside what each upload takes. */
export interface BatchCounts {
  /** Log lines and metrics of one batch, and the lines that Lambda adds. */
  readonly logBytes: number;
  /** The list of recent outcomes, which every batch rewrites. */
  readonly recentBytes: number;
}

/** Batches that are handled: the list of recent outcomes is full then. */
export const batchesCounted = 4;

/** START, END and REPORT of one invocation, as CloudWatch shows them (seen 2026-11: 290 to 350 bytes). */
const platformLogBytes = 350;

/**
 * Handles full batches in a process of its own, and counts what it writes.
 * @throws Error where an upload was not applied
 */
export async function countBatch(): Promise<BatchCounts> {
  const child = fork(join(import.meta.dirname, 'batch-process.ts'), {
    execArgv: [],
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let written = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    written += chunk.length;
  });
  let recentBytes: number | undefined;
  child.on('message', (message: { recentBytes: number }) => {
    ({ recentBytes } = message);
  });
  const ended = child.stdout === null ? undefined : once(child.stdout, 'end');
  await Promise.all([once(child, 'exit'), ended]);
  if (recentBytes === undefined) throw new Error('the batches of uploads were not counted');
  return { logBytes: written / batchesCounted + platformLogBytes, recentBytes };
}
