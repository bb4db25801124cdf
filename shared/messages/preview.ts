import * as z from 'zod';
import { guardNames } from '../vocabulary/guard-names.ts';

/**
 * What update-campaign-runs would do with commands of the future, as `answer-questions` answers it: by the same code, the deployed configuration,
 * the ledger and the gateway's campaigns as they read now. Nothing is sent and nothing is written.
 */

/** The most commands of one question: the answer has to fit into one invocation. */
export const mostPreviewed = 2000;

/** The question; each command stands at its `issuedAt`. */
export const previewQuestion = z.strictObject({
  ask: z.literal('preview'),
  commands: z.array(z.unknown()).max(mostPreviewed),
  /** How far it looks: what is due later is left out. */
  until: z.iso.datetime({ offset: true }),
});

const verdict = z.object({
  guard: z.enum(guardNames),
  verdict: z.enum(['apply', 'skip', 'defer', 'overridden']),
  detail: z.string().optional(),
});

/** One command as it would end. */
export const previewed = z.object({
  /** Of the command; of a planned stop the id of the start that plans it. */
  id: z.string(),
  /** When it arrives; one that a blackout defers arrives again at the end of the blackout. */
  at: z.string(),
  action: z.enum(['start', 'stop']),
  run: z.string().optional(),
  origin: z.object({ kind: z.string(), name: z.string() }),
  outcome: z.enum(['applied', 'superseded', 'skipped', 'deferred', 'parked']),
  reason: z.string().optional(),
  detail: z.string().optional(),
  /** What each guard says, in the order in which they are asked. */
  verdicts: z.array(verdict),
  /** End of the blackout that defers it. */
  until: z.string().optional(),
  /** Exactly what would be sent; with a start also the stops that make room for it. */
  requests: z.array(
    z.object({ method: z.literal('PATCH'), path: z.string(), body: z.record(z.string(), z.unknown()) }),
  ),
  stopDueAt: z.string().optional(),
  /** The campaign of its run, by its configured name. */
  campaign: z.string().optional(),
  /** Of an applied command: the run that it is about. */
  campaignRunId: z.string().optional(),
  /** When the run of an applied start begins. */
  effectAt: z.string().optional(),
  /** From then on no start is held back by the run of an applied start, if nothing stops it before. */
  inFlightUntil: z.string().optional(),
  /** Runs that a stop ends: a stop by name may end several. */
  ends: z.array(z.string()).optional(),
  /** Ids of its run that are left after it. */
  idsLeft: z.number().optional(),
  /** Starts of its campaign that the calendar month has left after it. */
  startsLeft: z.number().optional(),
});

/** See above. */
export type Previewed = z.infer<typeof previewed>;

/** The answer. */
export const previewAnswer = z.object({
  now: z.string(),
  mode: z.enum(['act', 'observe']),
  /** In the order of their instants, with the stops that are due by then. */
  commands: z.array(previewed),
  /** Campaigns that could not be read, and why: what is known of their last run is what this stage has started itself. */
  unread: z.array(z.object({ campaign: z.string(), why: z.string() })),
});

/** See {@link previewAnswer}. */
export type PreviewAnswer = z.infer<typeof previewAnswer>;
