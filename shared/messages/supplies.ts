import * as z from 'zod';

/** Asks answer-questions what is used up: ids of runs and starts of the month, as the guards count them. */
export const suppliesQuestion = { ask: 'supplies' } as const;

/** The answer. */
export const suppliesAnswer = z.object({
  /** Runs that use an id up with each start. */
  bindings: z.array(z.object({ run: z.string(), left: z.number(), isLow: z.boolean() })),
  /** Campaigns with a budget. */
  budgets: z.array(
    z.object({
      campaign: z.string(),
      /** `2026-11`, in the zone of the stage. */
      month: z.string(),
      used: z.number(),
      startsPerMonth: z.number(),
    }),
  ),
});

/** See {@link suppliesAnswer}. */
export type SuppliesAnswer = z.infer<typeof suppliesAnswer>;
