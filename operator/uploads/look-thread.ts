/** The inside of the thread that looks at files: `look.ts` starts it, and ends it if a file takes too long or too much memory. */
import { parentPort } from 'node:worker_threads';
import { judgeContent } from './judge-file.ts';
import type { Look } from './look.ts';

parentPort?.on('message', ({ file, bytes, options }: Look) => {
  parentPort?.postMessage(judgeContent(file, bytes, options), []);
});
