/** One execution environment: a process that holds one function and answers one invocation at a time. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import { functionEnvironment, logGroupName } from '../function-environment.ts';
import { heapOptions } from './heap-options.ts';
import { exited, timedOut } from '../invocation-error.ts';
import type { FunctionLogLine, LocalFunction } from '../local-function.ts';
import { openProcessChannel } from './process-channel.ts';
import { watchOutput } from './process-output.ts';

const CHILD = new URL('child.mjs', import.meta.url);
const CLOCK = new URL('../../clock/preload.mjs', import.meta.url).href;

/** Lambda gives the code outside the handler this long before the function's own timeout counts. */
const INIT_LIMIT_MS = 10_000;

/** How long lines that were written before an answer may take to arrive after it. */
const LATE_LINES_MS = 500;

/** Between a polite end and the other one. */
const SIGTERM_GRACE_MS = 1000;

/** How an invocation ended. */
export interface Outcome {
  readonly payload: string;
  readonly isError: boolean;
}

/** One process of a function. */
export interface FunctionProcess {
  readonly pid: number | undefined;
  /** False from the moment that it can take no further invocation. */
  readonly isUsable: () => boolean;
  /** Its code is loaded: what it is doing now is an invocation. */
  readonly isLoaded: () => boolean;
  /** Resolves when its code is loaded, or could not be. */
  readonly loaded: Promise<unknown>;
  /** Runs one invocation; the caller sees to it that there is only one at a time. Never rejects. */
  readonly invoke: (requestId: string, event: string) => Promise<Outcome>;
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

  async function answerTo(requestId: string, event: string): Promise<Outcome> {
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

  async function timeOut(requestId: string): Promise<Outcome> {
    usable = false;
    child.kill('SIGKILL');
    await channel.gone;
    return failure(timedOut(requestId, fn.timeoutMs));
  }

  return {
    pid: child.pid,
    isUsable: () => usable,
    isLoaded: () => loaded,
    loaded: channel.initialised,
    async invoke(requestId, event) {
      output.belongsTo(requestId);
      const outcome = await answerTo(requestId, event);
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

function forkChild(fn: LocalFunction): ChildProcess {
  return fork(CHILD, [], {
    execPath: process.execPath,
    execArgv: ['--import', CLOCK, ...heapOptions(fn)],
    cwd: fn.codeDirectory,
    env: functionEnvironment(fn),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
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

function failure(error: object): Outcome {
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
