import * as z from 'zod';

/**
 * What answer-questions answers when it is asked whether the token is any good: it reads the secret, as every worker does, and makes each
 * read of the interface once. A deployed function is asked since it stands where the workers stand: in their network, with their certificates,
 * under their role. The token is in neither the question nor the answer; nothing is written.
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
  /** Of what lies below: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`. */
  causeCode: z.string().optional(),
  causeMessage: z.string().optional(),
  /** What the gateway says about it, without the token. */
  said: z.string().optional(),
});

/** See above. */
export type ReadFailure = z.infer<typeof readFailure>;

/** The reads of the interface; its two writes have no try that changes nothing. */
export const triedReads = ['GET /scanner-packages', 'GET /endpoints', 'GET /campaigns', 'GET /projects'] as const;

const read = z.object({ read: z.enum(triedReads), of: z.string().optional() });

const triedRead = z.discriminatedUnion('kind', [
  read.extend({ kind: z.literal('answered') }),
  read.extend({ kind: z.literal('failed'), failure: readFailure }),
  read.extend({ kind: z.literal('untried'), why: z.string() }),
]);

/** One read, and how it ended. */
export type TriedRead = z.infer<typeof triedRead>;

/** The answer. */
export const tokenAnswer = z.object({
  baseUrl: z.string(),
  secret: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('read'), expiresAt: z.string().optional() }),
    z.object({ kind: z.literal('unusable'), code: z.string(), why: z.string() }),
  ]),
  /** In the order in which they were made; none without a token. */
  reads: z.array(triedRead),
});

/** See {@link tokenAnswer}. */
export type TokenAnswer = z.infer<typeof tokenAnswer>;
