/** The processes of one function: an idle one is used again, and ended when nobody needed it for a while. */
import { startFunctionProcess } from './process/function-process.ts';
import type { FunctionProcess } from './process/function-process.ts';
import type { FunctionLogLine, LocalFunction } from './local-function.ts';

/** The processes of one function. */
export interface FunctionPool {
  /** Runs the work on a process of its own. */
  readonly use: <T>(work: (process: FunctionProcess) => Promise<T>) => Promise<T>;
  /** Makes sure that one process is loaded and idle, so that the next invocation is a warm one. */
  readonly warm: () => Promise<void>;
  readonly busyCount: () => number;
  readonly processes: () => readonly FunctionProcess[];
  /** Those that are in the middle of an invocation; not those that are still loading for one. */
  readonly busyProcesses: () => readonly FunctionProcess[];
  /** Ends the idle processes at once and the busy ones when their invocation is over, or after the grace. */
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
    async warm() {
      if (idle.size > 0) return;
      const process = start();
      await process.loaded;
      putBack(process);
    },
    busyCount: () => all.size - idle.size,
    processes: () => [...all],
    busyProcesses: () => [...all].filter((process) => !idle.has(process) && process.isUsable() && process.isLoaded()),
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
