/** The answers that the platform gives in a handler's place, worded as Lambda words them. */

import type { ProcessExit } from './process/process-channel.ts';

/** An error payload of Lambda. */
export interface PlatformError {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** The function did not answer within its timeout and its process was ended. */
export function timedOut(requestId: string, timeoutMs: number): PlatformError {
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
  return { errorType: 'Sandbox.Timedout', errorMessage };
}

/** The process ended without an answer: `process.exit`, out of memory, or killed from outside. */
export function exited(requestId: string, { code, signal }: ProcessExit['exit']): PlatformError {
  return { errorType: 'Runtime.ExitError', errorMessage: `RequestId: ${requestId} Error: ${exitReason(code, signal)}` };
}

function exitReason(code: number | null, signal: NodeJS.Signals | null): string {
  // V8 aborts itself when its heap is full, where Lambda's memory limit would have killed the process.
  if (signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134) return 'Runtime exited with error: signal: killed';
  if (signal !== null) return `Runtime exited with error: signal: ${signal.replace(/^SIG/, '').toLowerCase()}`;
  return code === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: exit status ${code}`;
}
