/** Asynchronous invocations: accepted at once, repeated after a failure as the function's configuration says. */
import { randomUUID } from 'node:crypto';

import type { InvokeResult } from './local-function.ts';

/** As AWS repeats where nothing else is configured. */
const DEFAULT_RETRIES = 2;

/** What asynchronous invocations of one run need. */
export interface EventInvocationPorts {
  readonly invoke: (name: string, payload: string, requestId: string) => Promise<InvokeResult>;
  /** Real milliseconds before each repeat; the last one stands for all after it. */
  readonly waitsMs: readonly number[];
}

/** The asynchronous invocations of one run. */
export interface EventInvocations {
  /** Starts one; every repeat has the same request id. */
  readonly start: (name: string, payload: string, maximumRetryAttempts?: number) => { readonly requestId: string };
  /** Repeats nothing more. */
  readonly stop: () => void;
}

/** One asynchronous invocation, with all of its repeats. */
interface Invocation {
  readonly name: string;
  readonly payload: string;
  readonly requestId: string;
  readonly retries: number;
}

/** Starts with none. */
export function createEventInvocations({ invoke, waitsMs }: EventInvocationPorts): EventInvocations {
  const repeats = new Set<NodeJS.Timeout>();
  let stopped = false;

  async function run(invocation: Invocation, attempt: number): Promise<void> {
    const { name, payload, requestId, retries } = invocation;
    const { functionError } = await invoke(name, payload, requestId);
    if (functionError === undefined || stopped || attempt > retries) return;
    const waitMs = waitsMs[attempt - 1] ?? waitsMs.at(-1) ?? 0;
    const timer = setTimeout(() => {
      repeats.delete(timer);
      void run(invocation, attempt + 1);
    }, waitMs);
    repeats.add(timer);
  }

  return {
    start(name, payload, maximumRetryAttempts = DEFAULT_RETRIES) {
      const requestId = randomUUID();
      void run({ name, payload, requestId, retries: maximumRetryAttempts }, 1);
      return { requestId };
    },
    stop() {
      stopped = true;
      for (const timer of repeats) clearTimeout(timer);
    },
  };
}
