/** What a function's process says to its host; child.mjs writes it. */
import * as z from 'zod';

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
