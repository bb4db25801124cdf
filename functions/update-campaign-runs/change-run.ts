import {
  BadBodyError,
  BadStatusError,
  classifyFailure,
  GatewayError,
  laterDelayMs,
  RedirectError,
  type UpdateCampaignRunInput,
} from '../../shared/gateway-client/index.ts';
import type { ReasonCode } from '../../shared/vocabulary/reason-codes.ts';
import { isParkReason, type ParkReason } from '../../shared/vocabulary/reason-codes.ts';
import type { Conclusion } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';

/** What became of one PATCH. */
export type ChangeResult =
  | { readonly kind: 'applied'; readonly detail?: string }
  /** Proven not applied, worth another try. */
  | { readonly kind: 'not-applied'; readonly delayMs: number; readonly why: string }
  | { readonly kind: 'unknown'; readonly delayMs: number; readonly why: string }
  | {
      readonly kind: 'refused';
      readonly reason: ParkReason;
      readonly detail: string;
      readonly evidence: NonNullable<Conclusion['evidence']>;
    };

/** A stop is worth asking for often: it waits a minute at most between two tries (design: campaign runs). */
const longestStopWaitMs = 60_000;

/** Sends one PATCH and says what became of it, by the retry table. */
export async function changeRun(
  input: UpdateCampaignRunInput,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<ChangeResult> {
  try {
    await deps.gateway.updateCampaignRun({ ...input, idempotencyKey: idempotencyKeyOf(work.command.id) });
    return { kind: 'applied' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return resultOfFailure(error, work, deps);
  }
}

function resultOfFailure(error: GatewayError, work: CommandWork, deps: UpdateDeps): ChangeResult {
  const verdict = classifyFailure('patch', error, { alreadyInState: deps.config.gateway.alreadyInState });
  const why = explain(error);
  if (verdict.next === 'applied') return { kind: 'applied', detail: why };
  if (verdict.next === 'park' || isTriedOut(verdict.parkAfter, work)) {
    return {
      kind: 'refused',
      reason: parkReasonOf(verdict.reason),
      detail: why,
      evidence: {
        errorCode: error.code,
        requestSent: error.requestSent,
        ...(error instanceof BadStatusError ? { httpStatus: error.status } : {}),
      },
    };
  }
  const waitMs = verdict.pauseMs ?? laterDelayMs(work.record.receiveCount, deps.random);
  const delayMs = work.command.action === 'stop' ? Math.min(waitMs, longestStopWaitMs) : waitMs;
  return { kind: verdict.applied === 'no' ? 'not-applied' : 'unknown', delayMs, why };
}

function isTriedOut(
  limit: { readonly tries?: number; readonly withinMs?: number } | undefined,
  work: CommandWork,
): boolean {
  if (limit === undefined) return false;
  const ageMs = work.context.now().getTime() - work.record.sentAt.getTime();
  return work.record.receiveCount >= (limit.tries ?? Infinity) || ageMs >= (limit.withinMs ?? Infinity);
}

/** One sentence for people: the gateway's own words where there are any. */
function explain(error: GatewayError): string {
  if (error instanceof BadStatusError) {
    const fields = error.details.fields.map(({ field, message }) => [field, message].filter(Boolean).join(': '));
    return `${error.message}: ${fields.length > 0 ? fields.join('; ') : error.details.text}`;
  }
  if (error instanceof BadBodyError || error instanceof RedirectError) return error.message;
  return error.message;
}

function parkReasonOf(reason: ReasonCode | undefined): ParkReason {
  return reason !== undefined && isParkReason(reason) ? reason : 'CONFLICT';
}

/** A header value is printable ASCII; an id may be anything printable. */
function idempotencyKeyOf(commandId: string): string {
  return encodeURIComponent(commandId);
}
