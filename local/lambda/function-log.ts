/** The log of one function: a file of bounded size in the data directory, and the runner's own listener. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { visibleText } from '#shared/text/visible-text.ts';
import type { FunctionLogLine } from './local-function.ts';

/** Two files of this size at most for each function: the one written to, and the one before. */
const FILE_LIMIT_BYTES = 2_000_000;

/** Lambda gives back this much of a log with an answer. */
const TAIL_BYTES = 4096;

/** Takes the lines of one function. */
export interface FunctionLog {
  readonly write: (line: FunctionLogLine) => void;
  readonly close: () => void;
}

/** Opens `<directory>/<function>.log`; when it is full it becomes `<function>.log.1`. */
export function openFunctionLog(
  directory: string,
  functionName: string,
  onLog: (line: FunctionLogLine) => void,
  limitBytes: number = FILE_LIMIT_BYTES,
): FunctionLog {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${functionName}.log`);
  let file = openSync(path, 'a');
  let bytes = fstatSync(file).size;
  let isOpen = true;

  function roll(): void {
    closeSync(file);
    renameSync(path, `${path}.1`);
    file = openSync(path, 'a');
    bytes = 0;
  }

  return {
    write(line) {
      onLog(line);
      if (!isOpen) return;
      if (bytes > limitBytes) roll();
      bytes += writeSync(file, `${visibleText(`${new Date().toISOString()} ${line.requestId} ${line.text}`)}\n`);
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** The last 4 KB of an invocation's lines, as Lambda's LogResult. */
export function logTail(lines: readonly string[]): string {
  return Buffer.from(`${lines.join('\n')}\n`)
    .subarray(-TAIL_BYTES)
    .toString('base64');
}
