import { type Profiler, Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { openPathSubject, type PathName } from './path-subject.ts';

/**
 * The files through which one piece of work passes, from its message to the end of its path, in this process. A first one warms the worker up.
 * Of a second one V8's precise coverage says which functions of the product run. A callback without a name is a part of the function around it.
 */
export async function filesOfPath(root: string, path: PathName): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  const rootUrl = `${pathToFileURL(root).href}/`;
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  /** The files with a function that has run since the last look. */
  function ranSince(): readonly string[] {
    let result: readonly Profiler.ScriptCoverage[] = [];
    // In its own thread a session answers before `post` returns.
    session.post('Profiler.takePreciseCoverage', (_error, taken) => (result = taken.result));
    return result
      .filter(({ functions }) => functions.some((one) => one.functionName !== '' && (one.ranges[0]?.count ?? 0) > 0))
      .map(({ url }) => (url.startsWith(rootUrl) ? url.slice(rootUrl.length) : ''))
      .filter((file) => /^(?:functions|shared)\//.test(file));
  }

  let files: readonly string[] = [];
  const subject = await openPathSubject(path, () => (files = ranSince()));
  try {
    await subject.work(1);
    ranSince();
    await subject.work(2);
    if (files.length === 0) throw new Error(`no file was seen on the path ${path}`);
    return files.toSorted();
  } finally {
    session.disconnect();
    await subject.close();
  }
}
