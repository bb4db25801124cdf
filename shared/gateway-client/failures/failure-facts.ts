import { AppError, healsByItself } from '../../errors/app-error.ts';
import type { ReasonCode } from '../../vocabulary/reason-codes.ts';
import {
  BadBodyError,
  type BadBodyReason,
  BadStatusError,
  CursorLoopError,
  PageLimitError,
  RedirectError,
} from './answer-errors.ts';
import {
  CertificateError,
  GatewayError,
  GatewayTimeoutError,
  InvalidInputError,
  MalformedTokenError,
  NotSentError,
  TokenUnavailableError,
} from './errors.ts';

/** What is known about a failure, as far as it decides what comes next. */
export type FailureFacts =
  /** The caller's input breaks a rule; nothing was sent. */
  | { readonly kind: 'invalid-input' }
  /** No token that can be sent, until a person sees to it. */
  | { readonly kind: 'no-token' }
  /** No answer; `requestSent` says whether a byte left. */
  | { readonly kind: 'no-answer'; readonly requestSent: boolean; readonly certificate?: boolean }
  /** An answer that is neither 2xx nor 3xx. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfterMs?: number | undefined;
      readonly text?: string;
      readonly datasetId?: string | undefined;
      readonly namesResource?: boolean;
    }
  /** A 2xx whose body is of no use. */
  | { readonly kind: 'body'; readonly reason: BadBodyReason }
  | { readonly kind: 'redirect'; readonly status: number }
  /** A walk over pages that does not end. */
  | { readonly kind: 'endless-listing'; readonly loop: boolean }
  /**
   * The ledger, the token store or a key failed before anything was sent; `denied` if it will not
   * heal by itself.
   */
  | { readonly kind: 'before-sending'; readonly denied?: boolean }
  /** The gateway said yes and our own record of it failed. */
  | { readonly kind: 'unrecorded' }
  /** Too little time is left to begin. */
  | { readonly kind: 'no-time-left' }
  /** It was tried for as long as anything is tried. */
  | { readonly kind: 'horizon' }
  /** Nothing is known: taken as sent. */
  | { readonly kind: 'unknown' };

/** The fields without which facts of a kind say nothing. */
const needed: Readonly<Record<FailureFacts['kind'], Readonly<Record<string, string>>>> = {
  'invalid-input': {},
  'no-token': {},
  'no-answer': { requestSent: 'boolean' },
  status: { status: 'number' },
  body: { reason: 'string' },
  redirect: { status: 'number' },
  'endless-listing': { loop: 'boolean' },
  'before-sending': {},
  unrecorded: {},
  'no-time-left': {},
  horizon: {},
  unknown: {},
};

/** Reads the facts out of a thrown or given value. Total: what says nothing is `unknown`. */
export function failureFacts(failure: unknown): FailureFacts {
  if (failure instanceof GatewayError) return errorFacts(failure);
  return isFacts(failure) ? failure : { kind: 'unknown' };
}

/**
 * What a failed fetch of the token says: one that heals by itself (a throttled store) is no reason
 * to stop all workers.
 */
export function tokenFacts(caught: unknown): FailureFacts {
  return { kind: healsByItself(caught) ? 'before-sending' : 'no-token' };
}

function errorFacts(error: GatewayError): FailureFacts {
  if (error instanceof InvalidInputError) return { kind: 'invalid-input' };
  if (error instanceof MalformedTokenError) return { kind: 'no-token' };
  if (error instanceof TokenUnavailableError) return tokenFacts(error);
  // A rate limiter of ours kept it back: that says nothing about the gateway.
  if (error instanceof NotSentError && codeOf(error.cause) === 'SLOT_TOO_FAR') return { kind: 'no-time-left' };
  return (
    answerFacts(error) ?? {
      kind: 'no-answer',
      requestSent: error.requestSent,
      certificate: error instanceof CertificateError,
    }
  );
}

/** What an answer says that came, at least in part; `undefined` for an error without one. */
function answerFacts(error: GatewayError): FailureFacts | undefined {
  if (error instanceof BadStatusError) {
    const { status, retryAfterMs, namesResource, details } = error;
    return { kind: 'status', status, retryAfterMs, namesResource, text: details.text, datasetId: details.datasetId };
  }
  if (error instanceof BadBodyError) return { kind: 'body', reason: error.reason };
  if (error instanceof RedirectError) return { kind: 'redirect', status: error.status };
  if (error instanceof CursorLoopError) return { kind: 'endless-listing', loop: true };
  if (error instanceof PageLimitError) return { kind: 'endless-listing', loop: false };
  // The headers of a 2xx had come: it was applied, like any 2xx with a broken body.
  if (error instanceof GatewayTimeoutError && error.phase === 'body') return { kind: 'body', reason: 'truncated' };
  return undefined;
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof AppError ? cause.code : undefined;
}

function isFacts(value: unknown): value is FailureFacts {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const { kind } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(needed, kind)) return false;
  const fields: Record<string, unknown> = { ...value };
  return Object.entries(needed[kind as FailureFacts['kind']]).every(([name, type]) => typeof fields[name] === type);
}

/** What an operation does to the gateway: reads, sets a state, or makes something new each time. */
export type OperationVerb = 'get' | 'patch' | 'post';

/** What became of a failed call, and what may come next. */
export interface Verdict {
  /** Whether the gateway did what was asked. */
  readonly applied: 'yes' | 'no' | 'unknown';
  /** Repeat in process, repeat from the queue, hand to a person, or record as done. */
  readonly next: 'now' | 'later' | 'park' | 'applied';
  /** How many repeats in process there may be at most. 0 unless `next` is `now`. */
  readonly maxNow: number;
  /** With `now`: what comes when those are used up. */
  readonly afterNow?: 'later' | 'park';
  /** The reason to park with: at once, or when `parkAfter` or `maxNow` is used up. */
  readonly reason?: ReasonCode;
  /** No worker should call the gateway until one probe has succeeded. */
  readonly closesGate?: boolean;
  /** One such failure says little; several of different keys close the gate. */
  readonly suspectsOutage?: boolean;
  /** The token is refused, may not do this, or there is none to send: a person must see to it. */
  readonly isAuthRefused?: boolean;
  /** Every caller waits for this long. */
  readonly pauseMs?: number;
  /** With `later`: how many tries, or how long, before it is parked. */
  readonly parkAfter?: { readonly tries?: number; readonly withinMs?: number };
  /** The state has to be read again before a repeat: never repeated blindly in process. */
  readonly rereadFirst?: boolean;
  /**
   * A repeat waits until the first request cannot land any more, and only the newest command is
   * repeated.
   */
  readonly afterInDoubt?: boolean;
  /** The dataset that the gateway names as the one there already. */
  readonly datasetId?: string;
}

/** How a caller may give the classification more facts than the interface has. */
export interface ClassifyOptions {
  /** Statuses after which a POST was not applied, by the vendor's word. */
  readonly postMayRepeatOn?: readonly number[] | undefined;
  /**
   * What a PATCH is answered when the run is in the wanted state already: a pattern, or texts
   * (found anywhere, in any case).
   */
  readonly alreadyInState?: RegExp | readonly string[] | undefined;
}

/** A verdict that waits in the queue. */
export function waitingVerdict(applied: 'no' | 'unknown', more: Partial<Verdict> = {}): Verdict {
  return { applied, next: 'later', maxNow: 0, ...more };
}

/** A verdict that repeats in process, then goes on as `more.afterNow` says, by default later. */
export function now(applied: Verdict['applied'], maxNow: number, more: Partial<Verdict> = {}): Verdict {
  return { applied, next: 'now', maxNow, afterNow: 'later', ...more };
}

/** A verdict that needs a person. */
export function park(applied: Verdict['applied'], reason: ReasonCode, more: Partial<Verdict> = {}): Verdict {
  return { applied, next: 'park', maxNow: 0, reason, ...more };
}

/** A verdict that records the effect as made. */
export function appliedVerdict(more: Partial<Verdict> = {}): Verdict {
  return { applied: 'yes', next: 'applied', maxNow: 0, ...more };
}
