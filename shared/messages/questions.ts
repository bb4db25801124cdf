/**
 * The questions of `answer-questions` and their answers. Nothing is sent and nothing is written.
 */
import * as z from 'zod';
import { guardNames, type ReasonCode } from '../vocabulary/reason-codes.ts';

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
const previewed = z.object({
  /** Of the command; of a planned stop the id of the start that plans it. */
  id: z.string(),
  /** When it arrives; one that a blackout defers arrives again at the end of the blackout. */
  at: z.string(),
  action: z.enum(['start', 'stop']),
  run: z.string().optional(),
  origin: z.object({ kind: z.string(), name: z.string() }),
  outcome: z.enum(['applied', 'superseded', 'skipped', 'deferred', 'parked']),
  reason: z.custom<ReasonCode>((code) => typeof code === 'string').optional(),
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
  /** Until then the run of an applied start holds others back, if nothing stops it before. */
  inFlightUntil: z.string().optional(),
  /** Runs that a stop ends: a stop by name may end several. */
  ends: z.array(z.string()).optional(),
  /** Ids of its run that are left after it. */
  idsLeft: z.number().optional(),
  /** Starts of its campaign that the calendar month has left after it. */
  startsLeft: z.number().optional(),
});

export type Previewed = z.infer<typeof previewed>;

export const previewAnswer = z.object({
  now: z.string(),
  mode: z.enum(['act', 'observe']),
  /** In the order of their instants, with the stops that are due by then. */
  commands: z.array(previewed),
  /** Campaigns that could not be read, and why. */
  unread: z.array(z.object({ campaign: z.string(), why: z.string() })),
});

export type PreviewAnswer = z.infer<typeof previewAnswer>;

/**
 * Asks for the project or the campaign of a run as it was configured at an instant: one GET with
 * `configAt`.
 */
export const configAtQuestion = z.strictObject({
  ask: z.literal('config-at'),
  of: z.enum(['project', 'campaign']),
  /** The configured run, by its name or by a uuid that it holds. */
  run: z.union([z.strictObject({ run: z.string() }), z.strictObject({ campaignRunId: z.uuid() })]),
  at: z.iso.datetime({ offset: true }),
});

export type ConfigAtQuestion = z.infer<typeof configAtQuestion>;

const hashes = z.record(z.string(), z.string());

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

export type ConfigAtAnswer = z.infer<typeof configAtAnswer>;

/**
 * Asks answer-questions for its part of the configuration: what is deployed. No secret is ever in
 * it.
 */
export const configQuestion = { ask: 'config' } as const;

/** Asks answer-questions what is used up: ids of runs and starts of the month. */
export const suppliesQuestion = { ask: 'supplies' } as const;

export const suppliesAnswer = z.object({
  /** Runs that use an id up with each start. */
  bindings: z.array(
    z.object({
      run: z.string(),
      left: z.number(),
      isLow: z.boolean(),
      /** Of a run whose runs Autopilot makes. */
      pool: z
        .object({
          keepReady: z.number(),
          /** When its first unused run would begin. */
          begins: z.string().optional(),
          /** What keeps it from filling. */
          failing: z.object({ since: z.string(), says: z.string() }).optional(),
        })
        .optional(),
    }),
  ),
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
  /** Blackouts whose times come from a file, with the end of the last one. */
  calendars: z.array(z.object({ blackout: z.string(), file: z.string(), endsAt: z.string() })).optional(),
  /** With `gateway.readsRuns`: `on`, or what the gateway answered if it has no such operation. */
  runReadings: z.union([z.literal('on'), z.object({ status: z.number(), missingAt: z.string() })]).optional(),
});

export type SuppliesAnswer = z.infer<typeof suppliesAnswer>;

/** The most ids that one question reads, at the rate of reads: 50 take 25 s at 2 a second. */
export const mostIdsRead = 50;

/** Asks answer-questions which run ids cannot be started: those of a run that are to be bound, else the next ones of all runs. */
export const runIdsQuestion = z.strictObject({
  ask: z.literal('run-ids'),
  run: z.string().optional(),
  ids: z.array(z.string()).max(mostIdsRead).optional(),
});

export const runIdsAnswer = z.object({
  of: z.number(),
  read: z.number(),
  /** Ids that no start can use, each with the predicate of a sentence: `is cancelled`. */
  odd: z.array(z.object({ run: z.string(), campaignRunId: z.string(), says: z.string() })),
  /** Why the others were not read. */
  unread: z.string().optional(),
});

export type RunIdsAnswer = z.infer<typeof runIdsAnswer>;

/**
 * The question about the token: answer-questions reads the secret as every worker does, and makes
 * each read of the interface once. The token is in neither the question nor the answer.
 */
export const tokenQuestion = z.strictObject({
  ask: z.literal('token'),
  /** A version of the secret that is not in use yet. @default the one that every worker reads */
  versionId: z.string().optional(),
});

/** Why a read failed. */
const readFailure = z.object({
  /** Of the gateway client: `BAD_STATUS`, `NOT_SENT`, `CERTIFICATE`, … */
  code: z.string(),
  message: z.string(),
  httpStatus: z.number().optional(),
  /** Of a refusal: who made it, if not the gateway. */
  speaker: z.literal('edge').optional(),
  /** Of what lies below: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`. */
  causeCode: z.string().optional(),
  causeMessage: z.string().optional(),
  /** What the gateway says about it, without the token. */
  said: z.string().optional(),
});

export type ReadFailure = z.infer<typeof readFailure>;

/** The reads of the interface; its two writes have no try that changes nothing. */
export const triedReads = ['GET /scanner-packages', 'GET /endpoints', 'GET /campaigns', 'GET /projects'] as const;

const read = z.object({
  read: z.enum(triedReads),
  of: z.string().optional(),
  /** The setting that holds the id that is read: `campaigns.chat-bot.campaignId`. */
  setting: z.string().optional(),
});

const triedRead = z.discriminatedUnion('kind', [
  read.extend({ kind: z.literal('answered') }),
  read.extend({ kind: z.literal('failed'), failure: readFailure }),
  read.extend({ kind: z.literal('untried'), why: z.string() }),
]);

/** One read, and how it ended. */
export type TriedRead = z.infer<typeof triedRead>;

export const tokenAnswer = z.object({
  baseUrl: z.string(),
  secret: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('read'), expiresAt: z.string().optional() }),
    /** `restoring`: the words of the command that helps, if its secret is marked for deletion. */
    z.object({
      kind: z.literal('unusable'),
      code: z.string(),
      why: z.string(),
      restoring: z.array(z.string()).optional(),
    }),
  ]),
  /** In the order in which they were made; none without a token. */
  reads: z.array(triedRead),
});

export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** What a scheduled function answers: `autopilot fire` shows it. */
export const tickAnswer = z.looseObject({
  /** The whole of it in one sentence, for people. */
  summary: z.string(),
});

/** See {@link tickAnswer}; beside the sentence, the same in fields. */
export type TickAnswer = z.infer<typeof tickAnswer>;
