/**
 * One execution environment: a process that holds one function and answers one invocation at a
 * time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '#shared/places.ts';
import { functionEnvironment, type FunctionLogLine, type LocalFunction, logGroupName } from './local-function.ts';
import { openProcessChannel, type ProcessExit, watchMemory, watchOutput } from './process-output.ts';
const CHILD = join(packageFolder, 'local', 'lambda', 'child.mjs');
const CLOCK = pathToFileURL(join(packageFolder, 'local', 'clock', 'preload.mjs')).href;

/** Lambda gives the code outside the handler this long before the function's own timeout counts. */
const INIT_LIMIT_MS = 10_000;

/** How long lines that were written before an answer may take to arrive after it. */
const LATE_LINES_MS = 500;

/** Between a polite end and the other one. */
const SIGTERM_GRACE_MS = 1000;

/** How an invocation ended. */
interface ProcessOutcome {
  readonly payload: string;
  readonly isError: boolean;
  /**
   * The most memory that the process ever had, its limit at most; unknown if the machine does not
   * show it.
   */
  readonly maxMemoryMb?: number | undefined;
}

export interface FunctionProcess {
  readonly pid: number | undefined;
  /** False from the moment that it can take no further invocation. */
  readonly isUsable: () => boolean;
  /** Its code is loaded: what it is doing now is an invocation. */
  readonly isLoaded: () => boolean;
  /** Runs one invocation; the caller sees to it that there is only one at a time. Never rejects. */
  readonly invoke: (requestId: string, event: string) => Promise<ProcessOutcome>;
  readonly setClock: (offsetMs: number) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Ends it: SIGTERM, then SIGKILL. Resolves when the process is gone. */
  readonly end: () => Promise<void>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<unknown>;
}

/** Starts a process of a function; its code begins to load at once. */
export function startFunctionProcess(fn: LocalFunction, onLine: (line: FunctionLogLine) => void): FunctionProcess {
  const child = forkChild(fn);
  const channel = openProcessChannel(child);
  const output = watchOutput(child, fn.name, onLine);
  let usable = true;
  let loaded = false;
  void channel.gone.then(() => (usable = false));
  void channel.initialised.then(() => (loaded = true));

  async function answerTo(requestId: string, event: string): Promise<ProcessOutcome> {
    const initialised = await within(INIT_LIMIT_MS + fn.timeoutMs, channel.initialised);
    if (initialised === 'late') return timeOut(requestId);
    if ('exit' in initialised) return failure(exited(requestId, initialised.exit));
    if ('initError' in initialised) {
      usable = false;
      return failure(initialised.initError);
    }
    const answer = channel.answerTo(requestId);
    child.send({ requestId, event, deadlineInMs: fn.timeoutMs, context: contextOf(fn) }, () => {});
    const ended = await within(fn.timeoutMs, answer);
    if (ended === 'late') return timeOut(requestId);
    if ('exit' in ended) return failure(exited(requestId, ended.exit));
    if (ended.fatal === true) usable = false;
    return { payload: ended.payload, isError: ended.isError };
  }

  async function answerWithinMemory(requestId: string, event: string): Promise<ProcessOutcome> {
    const memory = watchMemory(child.pid, fn.memoryMb, () => child.kill('SIGKILL'));
    const outcome = await answerTo(requestId, event);
    const peakMb = memory.end();
    if (peakMb === undefined || peakMb <= fn.memoryMb) return { ...outcome, maxMemoryMb: peakMb };
    usable = false;
    child.kill('SIGKILL');
    await channel.gone;
    return { ...failure(exited(requestId, { code: null, signal: 'SIGKILL' })), maxMemoryMb: fn.memoryMb };
  }

  async function timeOut(requestId: string): Promise<ProcessOutcome> {
    usable = false;
    child.kill('SIGKILL');
    await channel.gone;
    return failure(timedOut(requestId, fn.timeoutMs));
  }

  return {
    pid: child.pid,
    isUsable: () => usable,
    isLoaded: () => loaded,
    async invoke(requestId, event) {
      output.belongsTo(requestId);
      const outcome = await answerWithinMemory(requestId, event);
      await within(LATE_LINES_MS, Promise.race([output.complete(requestId), channel.closed]));
      return outcome;
    },
    setClock(clockOffsetMs) {
      if (child.connected) child.send({ clockOffsetMs }, () => {});
    },
    kill: (signal) => void child.kill(signal),
    async end() {
      usable = false;
      child.kill('SIGTERM');
      if ((await within(SIGTERM_GRACE_MS, channel.gone)) === 'late') child.kill('SIGKILL');
      await channel.gone;
    },
    gone: channel.gone,
  };
}

/** As on Lambda, it writes below its temporary folder alone, which ends with the process. */
function forkChild(fn: LocalFunction): ChildProcess {
  const temporary = mkdtempSync(join(tmpdir(), 'autopilot-function-'));
  const child = fork(CHILD, [], {
    execPath: process.execPath,
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      `--allow-fs-write=${temporary}`,
      '--import',
      CLOCK,
      ...heapOptions(fn),
    ],
    cwd: fn.codeDirectory,
    env: { ...functionEnvironment(fn), TMPDIR: temporary, TEMP: temporary },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  child.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  return child;
}

function contextOf(fn: LocalFunction): Record<string, string> {
  return {
    functionName: fn.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: fn.arn,
    memoryLimitInMB: String(fn.memoryMb),
    logGroupName: logGroupName(fn),
    logStreamName: 'local',
  };
}

function failure(error: object): ProcessOutcome {
  return { payload: JSON.stringify(error), isError: true };
}

/** The value, or 'late' when it is not there in real time. */
async function within<T>(milliseconds: number, value: Promise<T>): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), milliseconds);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** V8 does not start with less. */
const leastOldSpaceMb = 32;

/**
 * Node options with Lambda's heap sizes: a twentieth of the memory for each half of the nursery,
 * nine tenths for old space. Source: the start script of nodejs24.x,
 * https://dev.to/wonderfulsoap/deep-dive-into-aws-lambda-3-official-nodejs-runtime-analysis-43je
 */
export function heapOptions({ memoryMb }: Pick<LocalFunction, 'memoryMb'>): readonly string[] {
  const newSpaceMb = Math.floor(memoryMb / 10);
  const semiSpaceMb = Math.max(1, Math.floor(newSpaceMb / 2));
  const oldSpaceMb = Math.max(leastOldSpaceMb, memoryMb - newSpaceMb);
  return [`--max-semi-space-size=${semiSpaceMb}`, `--max-old-space-size=${oldSpaceMb}`];
}

// The answers that the platform gives in a handler's place, worded as Lambda words them.

/** An error payload of Lambda. */
interface PlatformError {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** The function did not answer within its timeout and its process was ended. */
function timedOut(requestId: string, timeoutMs: number): PlatformError {
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
  return { errorType: 'Sandbox.Timedout', errorMessage };
}

/** The process ended without an answer: `process.exit`, out of memory, or killed from outside. */
function exited(requestId: string, { code, signal }: ProcessExit['exit']): PlatformError {
  return { errorType: 'Runtime.ExitError', errorMessage: `RequestId: ${requestId} Error: ${exitReason(code, signal)}` };
}

function exitReason(code: number | null, signal: NodeJS.Signals | null): string {
  // V8 aborts itself when its heap is full, where Lambda's memory limit would have killed the
  // process.
  if (signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134) return 'Runtime exited with error: signal: killed';
  if (signal !== null) return `Runtime exited with error: signal: ${signal.replace(/^SIG/, '').toLowerCase()}`;
  return code === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: exit status ${code}`;
}
