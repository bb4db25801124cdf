import { AppError, healsByItself } from '../../errors/app-error.ts';
import { BadBodyError, BadStatusError, CursorLoopError, PageLimitError, RedirectError } from './answer-errors.ts';
import {
  CertificateError,
  GatewayError,
  GatewayTimeoutError,
  InvalidInputError,
  MalformedTokenError,
  NotSentError,
  TokenUnavailableError,
} from './errors.ts';
import type { BadBodyReason } from './answer-errors.ts';

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
  /** The ledger, the token store or a key failed before anything was sent; `denied` where it will not heal by itself. */
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

/** Reads the facts out of whatever was thrown or handed in. Total: what says nothing is `unknown`. */
export function failureFacts(failure: unknown): FailureFacts {
  if (failure instanceof GatewayError) return errorFacts(failure);
  return isFacts(failure) ? failure : { kind: 'unknown' };
}

/** What a failed fetch of the token says: one that heals by itself (a throttled store) is no reason to stop everybody. */
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
