import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openStartSubject } from './start-subject.ts';

/** The path of one start through the product. */
export interface StartPath {
  /**
   * The files in the order in which they are entered; a file that is entered again stands there
   * again.
   */
  readonly visits: readonly string[];
  /** Different files. */
  readonly files: number;
  /** Visits of a file that the path had entered and left before. */
  readonly returns: number;
}

/**
 * Counts files and returns in the files of successively called functions; calls within one file are
 * one visit.
 */
export function pathOf(calledFiles: readonly string[]): StartPath {
  const visits = calledFiles.filter((file, index) => file !== calledFiles[index - 1]);
  const files = new Set(visits).size;
  return { visits, files, returns: visits.length - files };
}

/**
 * Traces one start through the deployed handler of update-campaign-runs, in this process, until the
 * PATCH arrives.
 *
 * How: a first start warms the worker up while V8's precise coverage notes each function of the
 * product that runs. A debugger in another thread then sets a breakpoint at the beginning of each
 * named one, and a second start hits them in the order of their first calls. V8 does the work of a
 * parser, so nothing in the sources is rewritten. A second call of a function, a resumption after
 * `await` and a return to the caller count nothing: a reader has read that function already.
 */
export async function traceStart(root: string): Promise<StartPath> {
  const subject = await openStartSubject();
  const tracer = new Worker(join(import.meta.dirname, 'tracer.ts'), { workerData: { root } });
  try {
    await once(tracer, 'message');
    await subject.start('first');
    tracer.postMessage('set-breakpoints');
    await once(tracer, 'message');
    await subject.start('second');
    tracer.postMessage('report');
    const [files] = (await once(tracer, 'message')) as [readonly string[]];
    if (files.length === 0) throw new Error('the tracer did not see the PATCH arrive');
    return pathOf(files);
  } finally {
    await tracer.terminate();
    await subject.close();
  }
}
