/** The processes of one function: an idle one is used again, and ended after a while. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { diskProblem } from '#shared/disk-problem.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import type { FunctionLogLine, InvokeResult, LocalFunction } from './local-function.ts';
import { type FunctionProcess, startFunctionProcess } from './process/function-process.ts';

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

// Asynchronous invocations: accepted at once, repeated after a failure as the function's
// configuration says. Lambda retries twice and keeps an event for up to six hours; an event that is
// older is discarded (AWS::Lambda::EventInvokeConfig, CloudFormation User Guide).

/** As AWS has it if nothing else is configured. */
const DEFAULTS = { maximumRetryAttempts: 2, maximumEventAgeMs: 6 * 3_600_000 };

/** What a function's configuration says about its asynchronous invocations. */
type AsyncSettings = Pick<LocalFunction, 'maximumRetryAttempts' | 'maximumEventAgeMs'>;

/** What asynchronous invocations of one run need. */
export interface EventInvocationPorts {
  readonly invoke: (name: string, payload: string, requestId: string) => Promise<InvokeResult>;
  /** Real milliseconds before each repeat; the last one stands for all after it. */
  readonly waitsMs: readonly number[];
}

/** The asynchronous invocations of one run. */
export interface EventInvocations {
  /** Starts one; every repeat has the same request id. */
  readonly start: (name: string, payload: string, settings: AsyncSettings) => { readonly requestId: string };
  /** Repeats nothing more. */
  readonly stop: () => void;
}

/** One asynchronous invocation, with all of its repeats. */
interface Invocation {
  readonly name: string;
  readonly payload: string;
  readonly requestId: string;
  readonly retries: number;
  /** Real time, as performance.now() counts it. */
  readonly discardedAt: number;
}

/** Starts with none. */
export function createEventInvocations({ invoke, waitsMs }: EventInvocationPorts): EventInvocations {
  const repeats = new Set<NodeJS.Timeout>();
  let stopped = false;

  async function run(invocation: Invocation, attempt: number): Promise<void> {
    const { name, payload, requestId, retries, discardedAt } = invocation;
    const { functionError } = await invoke(name, payload, requestId);
    if (functionError === undefined || stopped || attempt > retries) return;
    const waitMs = waitsMs[attempt - 1] ?? waitsMs.at(-1) ?? 0;
    if (performance.now() + waitMs > discardedAt) return;
    const timer = setTimeout(() => {
      repeats.delete(timer);
      void run(invocation, attempt + 1);
    }, waitMs);
    repeats.add(timer);
  }

  return {
    start(name, payload, { maximumRetryAttempts, maximumEventAgeMs }) {
      const requestId = randomUUID();
      const retries = maximumRetryAttempts ?? DEFAULTS.maximumRetryAttempts;
      const discardedAt = performance.now() + (maximumEventAgeMs ?? DEFAULTS.maximumEventAgeMs);
      void run({ name, payload, requestId, retries, discardedAt }, 1);
      return { requestId };
    },
    stop() {
      stopped = true;
      for (const timer of repeats) clearTimeout(timer);
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
  let isLosing = false;

  function roll(): void {
    if (existsSync(path)) renameSync(path, `${path}.1`);
    const next = openSync(path, 'a');
    closeSync(file);
    file = next;
    bytes = 0;
  }

  return {
    write(line) {
      onLog(line);
      if (!isOpen) return;
      try {
        if (bytes > limitBytes) roll();
        bytes += writeSync(file, `${visibleText(`${new Date().toISOString()} ${line.requestId} ${line.text}`)}\n`);
        isLosing = false;
      } catch (error) {
        // A line that is lost ends no stage; the first one is said.
        const why = diskProblem(path, error) ?? String(error);
        if (!isLosing) onLog({ ...line, stream: 'platform', text: `${path} lacks lines from here on: ${why}` });
        isLosing = true;
      }
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
