/** The processes of one function: an idle one is used again, and ended after a while. */
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { diskProblem, fileProblem } from '#shared/state-folder/disk-problem.ts';
import { toError } from '#shared/errors/app-error.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import type { FunctionLogLine, LocalFunction } from './local-function.ts';
import { type FunctionProcess, startFunctionProcess } from './function-process.ts';

/** The processes of one function. */
export interface FunctionPool {
  /** Runs the work on a process of its own. */
  readonly use: <T>(work: (process: FunctionProcess) => Promise<T>) => Promise<T>;
  readonly busyCount: () => number;
  readonly processes: () => readonly FunctionProcess[];
  /** In the middle of an invocation; not still loading for one. */
  readonly isBusy: (process: FunctionProcess) => boolean;
  /**
   * Ends the idle processes at once and the busy ones when their invocation is over, or after the
   * grace.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Keeps the processes of one function. */
export function createFunctionPool(
  fn: LocalFunction,
  idleMs: number,
  onLine: (line: FunctionLogLine) => void,
): FunctionPool {
  const all = new Set<FunctionProcess>();
  const idle = new Map<FunctionProcess, NodeJS.Timeout>();
  let closing = false;

  function start(): FunctionProcess {
    const process = startFunctionProcess(fn, onLine);
    all.add(process);
    void forgetWhenGone(process);
    return process;
  }

  async function forgetWhenGone(process: FunctionProcess): Promise<void> {
    await process.gone;
    all.delete(process);
    takeFromIdle(process);
  }

  function takeFromIdle(process: FunctionProcess): void {
    clearTimeout(idle.get(process));
    idle.delete(process);
  }

  function takeIdle(): FunctionProcess | undefined {
    for (const process of [...idle.keys()].toReversed()) {
      takeFromIdle(process);
      if (process.isUsable()) return process;
    }
    return undefined;
  }

  function putBack(process: FunctionProcess): void {
    if (closing || !process.isUsable()) {
      void process.end();
      return;
    }
    const timer = setTimeout(() => {
      takeFromIdle(process);
      void process.end();
    }, idleMs);
    idle.set(process, timer);
  }

  return {
    async use(work) {
      const process = takeIdle() ?? start();
      try {
        return await work(process);
      } finally {
        putBack(process);
      }
    },
    busyCount: () => all.size - idle.size,
    processes: () => [...all],
    isBusy: (process) => !idle.has(process) && process.isUsable() && process.isLoaded(),
    async close(graceMs) {
      closing = true;
      const waiting = [...idle.keys()];
      for (const process of waiting) takeFromIdle(process);
      const busy = [...all].filter((process) => !waiting.includes(process));
      const timer = setTimeout(() => busy.forEach((process) => process.kill('SIGKILL')), graceMs);
      await Promise.all([
        ...waiting.map(async (process) => process.end()),
        ...busy.map(async (process) => process.gone),
      ]);
      clearTimeout(timer);
    },
  };
}

// The log of one function: a file of bounded size in the data directory, and the runner's own
// listener.

/** Two files of this size at most for each function: the one written to, and the one before. */
const FILE_LIMIT_BYTES = 2_000_000;

/** Lambda gives back this much of a log with an answer. */
const TAIL_BYTES = 4096;

/** Takes the lines of one function. */
export interface FunctionLog {
  readonly write: (line: FunctionLogLine) => void;
  readonly close: () => void;
}

/**
 * Writes to `<directory>/<function>.log`; when it is full it becomes `<function>.log.1`. A file that
 * cannot be written is said once, and tried again with each line: a log ends no stage.
 */
export function openFunctionLog(
  directory: string,
  functionName: string,
  onLog: (line: FunctionLogLine) => void,
  limitBytes: number = FILE_LIMIT_BYTES,
): FunctionLog {
  const path = join(directory, `${functionName}.log`);
  let file: number | undefined;
  let bytes = 0;
  let isOpen = true;
  let isLosing = false;

  const ownersProblem = () => fileProblem(directory, directory) ?? fileProblem(path, directory);

  function open(): number {
    mkdirSync(directory, { recursive: true });
    const problem = ownersProblem();
    if (problem !== undefined) throw new Error(problem);
    const opened = openSync(path, 'a');
    bytes = fstatSync(opened).size;
    return opened;
  }

  function roll(): void {
    if (existsSync(path)) renameSync(path, `${path}.1`);
    const before = file;
    file = open();
    if (before !== undefined) closeSync(before);
  }

  return {
    write(line) {
      onLog(line);
      if (!isOpen) return;
      try {
        file ??= open();
        if (bytes > limitBytes) roll();
        bytes += writeSync(file, `${visibleText(`${new Date().toISOString()} ${line.requestId} ${line.text}`)}\n`);
        isLosing = false;
      } catch (error) {
        const why = ownersProblem() ?? diskProblem(path, error) ?? toError(error).message;
        if (!isLosing) onLog({ ...line, stream: 'platform', text: `${path} lacks lines from here on: ${why}` });
        isLosing = true;
      }
    },
    close() {
      if (file !== undefined && isOpen) closeSync(file);
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
