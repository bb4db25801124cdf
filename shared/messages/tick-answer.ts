import * as z from 'zod';

/** What a scheduled function answers to whoever invoked it: Scheduler drops it, `autopilot fire` shows it. */
export const tickAnswer = z.looseObject({
  /** The whole of it in one sentence, for people. */
  summary: z.string(),
});

/** See {@link tickAnswer}; beside the sentence, the same in fields. */
export type TickAnswer = z.infer<typeof tickAnswer>;
