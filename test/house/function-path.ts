import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openPathSubject, type PathName } from './path-subject.ts';

/** The path of one piece of work through the product. */
export interface FunctionPath {
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
function pathOf(calledFiles: readonly string[]): FunctionPath {
  const visits = calledFiles.filter((file, index) => file !== calledFiles[index - 1]);
  const files = new Set(visits).size;
  return { visits, files, returns: visits.length - files };
}

/**
 * Traces one piece of work through the deployed handler of its function, in this process, until the
 * end of the path.
 *
 * How: a first one warms the worker up while V8's precise coverage notes each function of the
 * product that runs. A debugger in another thread then sets a breakpoint at the beginning of each
 * named one, and a second one hits them in the order of their first calls. V8 does the work of a
 * parser, so nothing in the sources is rewritten. A second call of a function, a resumption after
 * `await` and a return to the caller count nothing: a reader has read that function already.
 */
export async function tracePath(root: string, path: PathName): Promise<FunctionPath> {
  const subject = await openPathSubject(path);
  const tracer = new Worker(join(import.meta.dirname, 'tracer.ts'), { workerData: { root } });
  try {
    await once(tracer, 'message');
    await subject.work(1);
    tracer.postMessage('set-breakpoints');
    await once(tracer, 'message');
    await subject.work(2);
    tracer.postMessage('report');
    const [files] = (await once(tracer, 'message')) as [readonly string[]];
    if (files.length === 0) throw new Error(`the tracer did not see the end of the path ${path}`);
    return pathOf(files);
  } finally {
    await tracer.terminate();
    await subject.close();
  }
}
