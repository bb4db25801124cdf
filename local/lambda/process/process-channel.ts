/** The conversation with one function process: what it says, and that it ended. */
import * as z from 'zod';
import type { ChildProcess } from 'node:child_process';

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

/** What a function's process says to its host; child.mjs writes it. */

const Initialised = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ initError: z.object({ errorType: z.string(), errorMessage: z.string() }).loose() }),
]);

const Answer = z.object({
  requestId: z.string(),
  payload: z.string(),
  isError: z.boolean(),
  /** The process ends after this. */
  fatal: z.boolean().optional(),
});

const ChildMessage = z.union([Initialised, Answer]);

/** How loading the code ended. */
export type Initialised = z.infer<typeof Initialised>;
/** The answer to one invocation. */
export type Answer = z.infer<typeof Answer>;

/** Reads a message; undefined for what a handler's own code may have sent over the channel. */
export function readChildMessage(message: unknown): Initialised | Answer | undefined {
  const result = ChildMessage.safeParse(message);
  return result.success ? result.data : undefined;
}
