/**
 * Lambda on one machine: every function of the template in processes of its own, with its declared
 * environment, memory and timeout. A process stands for an execution environment, used again while
 * it is idle. Not emulated: the freeze between invocations, and repeats of asynchronous
 * invocations, which no function of a stage has.
 *
 * A process ends when its channel to the runner closes. If its handler never yields the thread, it
 * must be ended by hand.
 */
import { randomUUID } from 'node:crypto';

import { type CallsInHand, createCallsInHand } from '../clock/movable-clock.ts';
import { createFunctionPool, type FunctionLog, type FunctionPool, logTail, openFunctionLog } from './function-pool.ts';
import type { FunctionLogLine, InvokeResult, LocalFunction } from './local-function.ts';

/** What the functions of one run need. */
export interface FunctionHostOptions {
  readonly functions: readonly LocalFunction[];
  /** The folder of each function's log file. */
  readonly logDirectory: string;
  readonly onLog?: ((line: FunctionLogLine) => void) | undefined;
  /** Hears of every invocation, since none may see the clock move. @default the clock is never moved */
  readonly calls?: Pick<CallsInHand, 'goOn'> | undefined;
  /** A process that was idle for this long is ended. @default ten minutes */
  readonly idleMs?: number | undefined;
}

/** The functions of one run. */
export interface FunctionHost {
  /** Invokes and waits. Rejects only for an unknown function or a closed host; a function's own failure is an answer. */
  readonly invoke: (
    name: string,
    payload: string,
    options?: { readonly logTail?: boolean; readonly requestId?: string },
  ) => Promise<InvokeResult>;
  /** Invokes without waiting. */
  readonly invokeEvent: (name: string, payload: string) => void;
  /** Tells every process the offset of the movable clock. */
  readonly setClock: (offsetMs: number) => void;
  /** Invocations under way. */
  readonly busyCount: () => number;
  /** For tests of crashes: all processes, to be ended one by one. */
  readonly processes: () => readonly HostedProcess[];
  /** Takes no more invocations; gives those under way this long. Resolves when no process is left. @default 5000 */
  readonly close: (graceMs?: number) => Promise<void>;
}

/** A process of a function. */
export interface HostedProcess {
  readonly functionName: string;
  readonly pid: number | undefined;
  /** In the middle of an invocation; not still loading for one. */
  readonly isBusy: boolean;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** No function of that name is in the template; Lambda says ResourceNotFoundException. */
class FunctionNotFoundError extends Error {
  override readonly name = 'ResourceNotFoundException';
}

/** The host is closing and takes no more invocations. */
class FunctionHostClosedError extends Error {
  override readonly name = 'ServiceException';
}

interface Hosted {
  readonly fn: LocalFunction;
  readonly pool: FunctionPool;
  readonly log: FunctionLog;
  /** Collectors of the lines of invocations whose tail was asked for. */
  readonly tails: Map<string, string[]>;
}

const ONE_MINUTE_MS = 60_000;

/** Starts the host; processes start with the first invocation. */
export function createFunctionHost(options: FunctionHostOptions): FunctionHost {
  const hosted = new Map(options.functions.map((fn) => [fn.name, hostFunction(fn, options)]));
  const { goOn } = options.calls ?? createCallsInHand();
  let closed = false;
  const isEnding = (): boolean => closed;

  function find(name: string): Hosted {
    if (closed) throw new FunctionHostClosedError('The run is ending.');
    const found = hosted.get(name);
    if (found === undefined) throw new FunctionNotFoundError(`Function not found: ${name}`);
    return found;
  }

  return {
    async invoke(name, payload, { logTail: wantsTail = false, requestId = randomUUID() } = {}) {
      return goOn(runInvocation(find(name), payload, { requestId, wantsTail, isEnding }));
    },
    invokeEvent(name, payload) {
      void goOn(runInvocation(find(name), payload, { requestId: randomUUID(), wantsTail: false, isEnding }));
    },
    setClock(offsetMs) {
      for (const { pool } of hosted.values()) for (const process of pool.processes()) process.setClock(offsetMs);
    },
    busyCount: () => [...hosted.values()].reduce((sum, { pool }) => sum + pool.busyCount(), 0),
    processes: () =>
      [...hosted].flatMap(([functionName, { pool }]) =>
        pool.processes().map((process) => {
          const { pid, kill } = process;
          return { functionName, pid, kill, isBusy: pool.isBusy(process) };
        }),
      ),
    async close(graceMs = 5000) {
      closed = true;
      await Promise.all([...hosted.values()].map(async ({ pool }) => pool.close(graceMs)));
      for (const { log } of hosted.values()) log.close();
    },
  };
}

function hostFunction(fn: LocalFunction, options: FunctionHostOptions): Hosted {
  const log = openFunctionLog(options.logDirectory, fn.name, options.onLog ?? (() => {}));
  const tails = new Map<string, string[]>();
  sayLogRefusal(fn, log);
  const pool = createFunctionPool(fn, options.idleMs ?? 10 * ONE_MINUTE_MS, (line) => {
    log.write(line);
    tails.get(line.requestId)?.push(line.text);
  });
  return { fn, pool, log, tails };
}

/** Here the lines are kept all the same: they are what the developer needs to find out. */
function sayLogRefusal({ name: functionName, logRefusal }: LocalFunction, log: FunctionLog): void {
  const refusal = logRefusal?.();
  if (refusal === undefined) return;
  log.write({
    functionName,
    requestId: '-',
    stream: 'platform',
    text: `AWS would keep nothing of this log: ${refusal}`,
  });
}

interface InvocationOptions {
  readonly requestId: string;
  readonly wantsTail: boolean;
  /** The run ends, and takes what is busy with it after its grace. */
  readonly isEnding: () => boolean;
}

async function runInvocation(
  target: Hosted,
  payload: string,
  { requestId, wantsTail, isEnding }: InvocationOptions,
): Promise<InvokeResult> {
  const { fn, pool, log, tails } = target;
  const tail: string[] = [];
  const platform = (text: string): void => {
    log.write({ functionName: fn.name, requestId, stream: 'platform', text });
    tail.push(text);
  };
  if (wantsTail) tails.set(requestId, tail);
  platform(`START RequestId: ${requestId} Version: $LATEST`);
  const startedAt = performance.now();
  const outcome = await pool.use(async (process) => process.invoke(requestId, payload));
  const tookMs = performance.now() - startedAt;

  // The end of the run is no failure: what was in hand is delivered again.
  const word = isEnding() && outcome.payload.includes('"Runtime.ExitError"') ? 'INTERRUPTED' : 'ERROR';
  if (outcome.isError) platform(`${word} RequestId: ${requestId} ${errorLine(outcome.payload)}`);
  platform(`END RequestId: ${requestId}`);
  const used = outcome.maxMemoryMb === undefined ? '' : ` Max Memory Used: ${outcome.maxMemoryMb} MB`;
  platform(`REPORT RequestId: ${requestId} Duration: ${tookMs.toFixed(2)} ms Memory Size: ${fn.memoryMb} MB${used}`);
  tails.delete(requestId);
  return {
    requestId,
    payload: outcome.payload,
    functionError: outcome.isError ? 'Unhandled' : undefined,
    logResult: wantsTail ? logTail(tail) : undefined,
  };
}

/** One line of an error payload, for a log that is read by eye. */
function errorLine(payload: string): string {
  const { errorType, errorMessage }: { errorType?: unknown; errorMessage?: unknown } = JSON.parse(payload);
  return `${String(errorType)}: ${String(errorMessage)}`;
}
