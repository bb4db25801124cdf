/** The conversation with one function process: what it says, and that it ended. */
import type { ChildProcess } from 'node:child_process';

import { readChildMessage } from './child-message.ts';
import type { Answer, Initialised } from './child-message.ts';

/** How a process ended. */
export interface ProcessExit {
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
}

/** What is heard from a process. */
export interface ProcessChannel {
  /** How loading its code ended. */
  readonly initialised: Promise<Initialised | ProcessExit>;
  /** The answer to an invocation; ask before it is sent. */
  readonly answerTo: (requestId: string) => Promise<Answer | ProcessExit>;
  /** The process is gone. */
  readonly gone: Promise<ProcessExit>;
  /** The process is gone, and everything it wrote has been read. */
  readonly closed: Promise<void>;
}

/** Listens to a process that has just been forked. */
export function openProcessChannel(child: ChildProcess): ProcessChannel {
  const waiting = new Map<string, (answer: Answer) => void>();
  const initialised = Promise.withResolvers<Initialised>();
  const gone = Promise.withResolvers<ProcessExit>();
  const closed = Promise.withResolvers<void>();

  child.on('message', (raw) => {
    const message = readChildMessage(raw);
    if (message === undefined) return;
    if (!('requestId' in message)) {
      initialised.resolve(message);
      return;
    }
    waiting.get(message.requestId)?.(message);
    waiting.delete(message.requestId);
  });
  child.on('exit', (code, signal) => gone.resolve({ exit: { code, signal } }));
  child.on('close', () => closed.resolve());
  child.on('error', (error) => {
    // Without a process id it never started, and no exit will follow.
    if (child.pid !== undefined) return;
    initialised.resolve({ initError: { errorType: 'Runtime.InvalidEntrypoint', errorMessage: error.message } });
    gone.resolve({ exit: { code: null, signal: null } });
    closed.resolve();
  });

  return {
    initialised: Promise.race([initialised.promise, gone.promise]),
    async answerTo(requestId) {
      const answer = Promise.withResolvers<Answer>();
      waiting.set(requestId, answer.resolve);
      return Promise.race([answer.promise, gone.promise]);
    },
    gone: gone.promise,
    closed: closed.promise,
  };
}
