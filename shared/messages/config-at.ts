import * as z from 'zod';

/**
 * What answer-questions answers when it is asked for the project or the campaign of a run as it was configured at an instant: one GET with
 * `configAt`, of what its deployed configuration names. Nothing is sent and nothing is written.
 */

/** The question. */
export const configAtQuestion = z.strictObject({
  ask: z.literal('config-at'),
  of: z.enum(['project', 'campaign']),
  /** The configured run, by its name or by a uuid that it holds. */
  run: z.union([z.strictObject({ run: z.string() }), z.strictObject({ campaignRunId: z.uuid() })]),
  at: z.iso.datetime({ offset: true }),
});

/** See {@link configAtQuestion}. */
export type ConfigAtQuestion = z.infer<typeof configAtQuestion>;

const hashes = z.record(z.string(), z.string());

/** The answer. */
export const configAtAnswer = z.discriminatedUnion('kind', [
  /** The deployed configuration names none. */
  z.object({ kind: z.literal('not-configured'), why: z.string() }),
  /** The gateway did not answer it, or was not asked. */
  z.object({ kind: z.literal('unread'), why: z.string(), httpStatus: z.number().optional() }),
  z.object({
    kind: z.literal('read'),
    id: z.string(),
    name: z.string().optional(),
    createdAt: z.string().optional(),
    /** A short hash for each field, by list, entry and field: what is compared. */
    fingerprints: z.object({ lists: z.record(z.string(), z.record(z.string(), hashes)), fields: hashes }),
    /** By place (`scanners.ID.version`), of the fields that the interface names: what it says. */
    words: z.record(z.string(), z.string()),
  }),
]);

/** See {@link configAtAnswer}. */
export type ConfigAtAnswer = z.infer<typeof configAtAnswer>;
