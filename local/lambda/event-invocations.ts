/**
 * Asynchronous invocations: accepted at once, repeated after a failure as the function's configuration says. Lambda
 * retries twice and keeps an event for up to six hours; an event that is older is discarded (AWS::Lambda::EventInvokeConfig,
 * CloudFormation User Guide).
 */
import { randomUUID } from 'node:crypto';

import type { InvokeResult, LocalFunction } from './local-function.ts';

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
