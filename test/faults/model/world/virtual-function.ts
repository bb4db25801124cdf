import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Invocation } from '#functions/_handler/queue-worker.ts';
import type { VirtualQueue } from './virtual-queue.ts';
import type { VirtualTime } from './virtual-time.ts';

/**
 * One warm process of a function: a clock of its own, and a life that can end between any two of
 * its effects.
 */
export interface Environment {
  readonly id: string;
  /** What this process takes for the time. */
  readonly now: () => Date;
  /**
   * Does something to the world after a while: the only place where a kill strikes, before it or
   * after it. In a process that has ended it neither happens nor returns.
   */
  readonly effect: <T>(latencyMs: number, act: () => T | Promise<T>) => Promise<T>;
  /** Waits, and never returns once the process has ended. */
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds until the platform cuts the invocation that runs now. */
  readonly remainingMs: () => number;
}

/**
 * A function behind its queue: up to `concurrency` processes, one batch at a time each, cut at the
 * timeout.
 */
export interface VirtualFunction {
  /** The process that makes the n-th effect from now on dies there. */
  readonly kill: (effects: number, when: 'before' | 'after') => void;
  /** Takes back a kill that has not struck. */
  readonly spare: () => void;
  /** Processes that were begun: the first of each place, and one after each that ended. */
  readonly processes: () => number;
  readonly usage: () => Readonly<FunctionUsage>;
}

/** What the platform would bill and limit. */
interface FunctionUsage {
  invocations: number;
  /** Sum of their times. */
  busyMs: number;
  /** The most that ran at once. */
  atOnce: number;
}

/** What Lambda calls with a batch. */
type BatchHandler = (event: SQSEvent, invocation: Invocation) => Promise<SQSBatchResponse>;

/** What a function is made of. */
export interface FunctionOptions {
  readonly name: string;
  readonly queue: VirtualQueue;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** The clock of a process differs from the true time by at most this. */
  readonly mostSkewMs: number;
  /**
   * What the platform takes from the end of a batch to the beginning of the next one. @default 0
   */
  readonly betweenBatchesMs?: number;
  /** The cold start. */
  readonly build: (environment: Environment) => BatchHandler;
}

type When = 'before' | 'after';

interface Process {
  readonly environment: Environment;
  readonly handle: BatchHandler;
  readonly life: { isOver: boolean; cutAtMs: number };
}

interface Place {
  process?: Process | undefined;
  isBusy: boolean;
  /** Since when it is busy, or from when on it is free. */
  sinceMs: number;
}

/** Deploys a function: it takes what its queue shows from now on. */
export function createVirtualFunction(time: VirtualTime, options: FunctionOptions): VirtualFunction {
  const { queue, timeoutMs, betweenBatchesMs = 0 } = options;
  const places: Place[] = Array.from({ length: options.concurrency }, () => ({ isBusy: false, sinceMs: 0 }));
  const kill = createKillSwitch();
  const usage: FunctionUsage = { invocations: 0, busyMs: 0, atOnce: 0 };
  let processes = 0;
  let busy = 0;

  function start(place: Place): Process {
    processes += 1;
    const life = { isOver: false, cutAtMs: 0 };
    const end = () => {
      life.isOver = true;
      free(place);
    };
    const environment = createEnvironment(time, { id: `${options.name}-${processes}`, life, end, kill, options });
    return { environment, handle: options.build(environment), life };
  }

  function free(place: Place): void {
    if (place.process?.life.isOver === true) place.process = undefined;
    place.isBusy = false;
    busy -= 1;
    usage.busyMs += time.nowMs() - place.sinceMs;
    place.sinceMs = time.nowMs() + betweenBatchesMs;
    time.at(betweenBatchesMs, poll);
  }

  function poll(): void {
    for (const place of places) {
      if (place.isBusy || place.sinceMs > time.nowMs()) continue;
      const records = queue.receive(options.batchSize);
      if (records.length === 0) return;
      void invoke(place, records);
    }
  }

  async function invoke(place: Place, records: readonly SQSRecord[]): Promise<void> {
    const { environment, handle, life } = (place.process ??= start(place));
    place.isBusy = true;
    place.sinceMs = time.nowMs();
    busy += 1;
    usage.invocations += 1;
    usage.atOnce = Math.max(usage.atOnce, busy);
    const cutAtMs = time.nowMs() + timeoutMs;
    life.cutAtMs = cutAtMs;
    time.at(timeoutMs, () => {
      if (life.isOver || !place.isBusy || life.cutAtMs !== cutAtMs) return;
      life.isOver = true;
      free(place);
    });
    const requestId = `${options.name}-invocation-${usage.invocations}`;
    const { remainingMs } = environment;
    const answer = await handle({ Records: [...records] }, { requestId, remainingMs });
    if (life.isOver) return;
    const kept = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { messageId, receiptHandle } of records) if (!kept.has(messageId)) queue.remove(receiptHandle);
    free(place);
  }

  queue.onVisible(poll);
  return { kill: kill.arm, spare: kill.spare, processes: () => processes, usage: () => usage };
}

/**
 * One armed kill at most: counts the effects of a function down to the one that is the last of its
 * process.
 */
function createKillSwitch() {
  let armed: { left: number; readonly when: When } | undefined;
  return {
    arm: (left: number, when: When) => {
      armed = { left, when };
    },
    spare: () => {
      armed = undefined;
    },
    strikes(): When | undefined {
      if (armed === undefined) return undefined;
      armed.left -= 1;
      if (armed.left > 0) return undefined;
      const { when } = armed;
      armed = undefined;
      return when;
    },
  };
}

function createEnvironment(
  time: VirtualTime,
  of: {
    readonly id: string;
    readonly life: Process['life'];
    readonly end: () => void;
    readonly kill: ReturnType<typeof createKillSwitch>;
    readonly options: FunctionOptions;
  },
): Environment {
  const { id, life, end, kill, options } = of;
  const skewMs = time.between(-options.mostSkewMs, options.mostSkewMs);

  /** A process that has ended is not told that its time is up: its promise never settles. */
  async function wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      time.at(ms, () => {
        if (!life.isOver) resolve();
      });
    });
  }

  return {
    id,
    now: () => new Date(time.nowMs() + skewMs),
    wait,
    remainingMs: () => life.cutAtMs - time.nowMs(),
    async effect(latencyMs, act) {
      await wait(latencyMs);
      const strike = kill.strikes();
      if (strike === 'before') return endHere(end);
      try {
        return await act();
      } finally {
        if (strike === 'after') await endHere(end);
      }
    },
  };
}

/** SIGKILL: nothing after this line ever runs in that process. */
async function endHere(end: () => void): Promise<never> {
  end();
  return new Promise<never>(() => {});
}
