/**
 * The thread that observes a function in the main thread: `function-path.ts` says how. Its messages:
 * ready, set, the files.
 */
import type { Debugger } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const { root } = workerData as { readonly root: string };
const rootUrl = `${pathToFileURL(root).href}/`;
/** The product in the meaning of this figure, and the function that ends the path. */
const product = /^(?:functions|shared)\//;
const end = { file: 'test/house/path-subject.ts', functionName: 'endOfPath' };

const session = new Session();
session.connectToMainThread();

/** The file of each function, by its first call, until the end of the path. */
const calledFiles: string[] = [];
const files = new Map<string, string>();
let isAtEnd = false;

session.on('Debugger.paused', ({ params }) => {
  const file = files.get(params.callFrames[0]?.location.scriptId ?? '');
  if (file === end.file) isAtEnd = true;
  if (file !== undefined && !isAtEnd) calledFiles.push(file);
  for (const breakpointId of params.hitBreakpoints ?? []) {
    void session.post('Debugger.removeBreakpoint', { breakpointId });
  }
  void session.post('Debugger.resume');
});

parentPort?.on('message', (message: 'set-breakpoints' | 'report') => {
  if (message === 'report') return parentPort?.postMessage(isAtEnd ? calledFiles : []);
  void setBreakpoints().then(() => parentPort?.postMessage('set'));
});

await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
parentPort?.postMessage('ready');

/**
 * One breakpoint at the first place of each function that ran. A callback without a name is a part
 * of the function around it.
 */
async function setBreakpoints(): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  await session.post('Debugger.enable');
  for (const { scriptId, url, functions } of result) {
    const file = url.startsWith(rootUrl) ? url.slice(rootUrl.length) : '';
    if (!product.test(file) && file !== end.file) continue;
    files.set(scriptId, file);
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    const ran = functions.filter(({ functionName, ranges: [range] }) => {
      if (range === undefined || range.count === 0 || functionName === '') return false;
      return file !== end.file || functionName === end.functionName;
    });
    for (const { ranges } of ran) {
      const { startOffset = 0, endOffset = 0 } = ranges[0] ?? {};
      const start = placeOf(scriptId, scriptSource, startOffset);
      const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
        start,
        end: placeOf(scriptId, scriptSource, endOffset),
        restrictToFunction: true,
      });
      const [location] = locations;
      if (location !== undefined) await session.post('Debugger.setBreakpoint', { location });
    }
  }
}

function placeOf(scriptId: string, source: string, offset: number): Debugger.Location {
  const before = source.slice(0, offset).split('\n');
  return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
}
