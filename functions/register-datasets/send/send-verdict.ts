import {
  BadBodyError,
  BadStatusError,
  GatewayError,
  GatewayTimeoutError,
  laterDelayMs,
  RedirectError,
  type Verdict,
} from '#shared/gateway-client/index.ts';
import type { ParkedWork } from '#shared/ledger/rows/message-row.ts';
import { isParkReason, type ParkReason } from '#shared/vocabulary/reason-codes.ts';

/** What a failed POST means for its upload. */
export type SendVerdict =
  /** It is there: the gateway named it. */
  | { readonly kind: 'applied'; readonly datasetId: string }
  /** Proven not applied. */
  | { readonly kind: 'later'; readonly delayMs: number; readonly refusals?: number }
  /** Known, and needs a person. */
  | { readonly kind: 'park'; readonly reason: ParkReason }
  /** It is not known. */
  | { readonly kind: 'unknown' };

/** What a person can go by. */
export type SendEvidence = Pick<ParkedWork, 'httpStatus' | 'errorCode' | 'requestSent'>;

/**
 * What the table's verdict on a failed POST means for its upload. Repeats in process have been made by the client already, so "now" is
 * "later" here. Pure.
 * @param tried - deliveries of the message, and refusals of the same kind before this one
 */
export function sendVerdict(
  verdict: Verdict,
  tried: { readonly receiveCount: number; readonly refusals: number; readonly random: () => number },
): SendVerdict {
  if (verdict.next === 'applied') {
    return verdict.datasetId === undefined
      ? { kind: 'park', reason: 'APPLIED_ID_UNKNOWN' }
      : { kind: 'applied', datasetId: verdict.datasetId };
  }
  if (verdict.next === 'park') return parkVerdict(verdict.applied, verdict.reason);

  const delayMs = Math.max(verdict.pauseMs ?? 0, laterDelayMs(tried.receiveCount, tried.random));
  const tries = verdict.parkAfter?.tries;
  if (tries === undefined) return { kind: 'later', delayMs };
  const refusals = tried.refusals + 1;
  return refusals >= tries ? parkVerdict(verdict.applied, verdict.reason) : { kind: 'later', delayMs, refusals };
}

function parkVerdict(applied: 'yes' | 'no' | 'unknown', reason: string | undefined): SendVerdict {
  // A 409 is an answer: this request made nothing, but the dataset seems to be there.
  if (reason === 'DUPLICATE_SUSPECTED') return { kind: 'park', reason };
  // For any other reason too: a next step that says "repeat it" would be wrong if it may have been
  // applied.
  if (applied === 'unknown') return { kind: 'unknown' };
  if (applied === 'yes') return { kind: 'park', reason: 'APPLIED_ID_UNKNOWN' };
  return { kind: 'park', reason: reason !== undefined && isParkReason(reason) ? reason : 'VALIDATION' };
}

/** The evidence in a failure. An error that is not the client's says nothing about what was sent. */
export function sendEvidence(failure: unknown): SendEvidence {
  if (!(failure instanceof GatewayError)) return {};
  const httpStatus = statusOf(failure);
  return {
    errorCode: failure.code,
    requestSent: failure.requestSent,
    httpStatus,
  };
}

function statusOf(failure: GatewayError): number | undefined {
  const hasStatus =
    failure instanceof BadStatusError ||
    failure instanceof BadBodyError ||
    failure instanceof RedirectError ||
    failure instanceof GatewayTimeoutError;
  return hasStatus ? failure.status : undefined;
}
