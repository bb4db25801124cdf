/** The inside of the thread that looks at files: `file-looker.ts` starts it, and ends it if a file takes too long or too much memory. */
import { parentPort } from 'node:worker_threads';
import { judgeContent } from './judge-file.ts';
import type { FileLook } from './file-looker.ts';

parentPort?.on('message', ({ file, bytes, options }: FileLook) => {
  parentPort?.postMessage(judgeContent(file, bytes, options), []);
});
