import {
  BadStatusError,
  classifyFailure,
  GatewayError,
  type OperationVerb,
  type UpdateCampaignRunInput,
  type Verdict,
} from '../../shared/gateway-client/index.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { isParkReason, type ParkReason } from '../../shared/vocabulary/reason-codes.ts';
import type { CommandWork, Evidence, UpdateDeps } from './deps.ts';
import { retryAfterPauseMs, retryMs } from './retry-delay.ts';
import { assertSettled } from './settle.ts';

/** What a failed call means for a command. */
export type Failed =
  /** Proven not applied, worth another try. */
  | {
      readonly kind: 'not-applied';
      readonly delayMs: number;
      readonly why: string;
      readonly evidence: Evidence;
      /** To keep in the run's row: answers in a row that may heal. */
      readonly refusals?: RunItem['refusals'];
    }
  | { readonly kind: 'unknown'; readonly delayMs: number; readonly why: string; readonly evidence: Evidence }
  | { readonly kind: 'refused'; readonly reason: ParkReason; readonly detail: string; readonly evidence: Evidence };

/** What became of one PATCH. */
export type ChangeResult = { readonly kind: 'applied'; readonly detail?: string } | Failed;

/**
 * Sends one PATCH, writes down what became of it, and tells the gate. The row first, whatever a failure says about the gateway as a whole:
 * nobody else can write it.
 * @param sending - the row as it was written for this attempt; it knows the refusals so far
 * @param after - what the row becomes
 * @throws AppError LEASE_LOST where the row was taken over meanwhile
 */
export async function changeRun(
  input: UpdateCampaignRunInput,
  sending: Stored<RunItem>,
  after: (result: ChangeResult) => RunItem,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<ChangeResult> {
  let said: string;
  try {
    ({ message: said } = await deps.gateway.updateCampaignRun({ ...input, requestId: work.context.attemptId }));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { verdict, result } = judge('patch', error, sending.refusals, work, deps);
    assertSettled(await deps.ledger.write<RunItem>(sending, after(result)), sending);
    await deps.gate.failed(verdict, sending.campaignRunId, error.message);
    return result;
  }
  const result = { kind: 'applied', ...(deps.config.mode === 'observe' ? { detail: said } : {}) } as const;
  assertSettled(await deps.ledger.write<RunItem>(sending, after(result)), sending);
  const told = deps.config.mode === 'act' ? deps.gate.answered() : undefined;
  if (told !== undefined) await told;
  return result;
}

/** What a failure of the gateway means, by the retry table; `earlier` are the refusals in a row before it. */
export function judge(
  verb: OperationVerb,
  error: GatewayError,
  earlier: RunItem['refusals'],
  work: CommandWork,
  deps: UpdateDeps,
): { readonly verdict: Verdict; readonly result: ChangeResult } {
  const verdict = classifyFailure(verb, error, { alreadyInState: deps.config.gateway.alreadyInState });
  const why = explain(error);
  const evidence = evidenceOf(error, work);
  if (verdict.next === 'applied') return { verdict, result: { kind: 'applied', detail: why } };
  const now = work.context.now();
  const refusals = verdict.parkAfter === undefined ? undefined : oneMore(earlier, error, now);
  if (verdict.next === 'park' || isTriedOut(verdict.parkAfter, refusals, now)) {
    const reason = verdict.reason !== undefined && isParkReason(verdict.reason) ? verdict.reason : 'CONFLICT';
    return { verdict, result: { kind: 'refused', reason, detail: why, evidence } };
  }
  const delayMs = verdict.pauseMs === undefined ? retryMs(work, deps) : retryAfterPauseMs(verdict.pauseMs, work, deps);
  if (verdict.applied !== 'no') return { verdict, result: { kind: 'unknown', delayMs, why, evidence } };
  const counted = refusals === undefined ? {} : { refusals };
  return { verdict, result: { kind: 'not-applied', delayMs, why, evidence, ...counted } };
}

/** Counts in a row, and of one status: an outage between two refusals is none of them. */
function oneMore(earlier: RunItem['refusals'], error: GatewayError, now: Date): NonNullable<RunItem['refusals']> {
  const status = error instanceof BadStatusError ? error.status : 0;
  if (earlier?.status !== status) return { status, count: 1, since: now.toISOString() };
  return { ...earlier, count: earlier.count + 1 };
}

function isTriedOut(
  limit: { readonly tries?: number; readonly withinMs?: number } | undefined,
  refusals: RunItem['refusals'],
  now: Date,
): boolean {
  if (limit === undefined || refusals === undefined) return false;
  const ageMs = now.getTime() - Date.parse(refusals.since);
  return refusals.count >= (limit.tries ?? Infinity) || ageMs >= (limit.withinMs ?? Infinity);
}

function evidenceOf(error: GatewayError, { context }: CommandWork): Evidence {
  return {
    errorCode: error.code,
    requestSent: error.requestSent,
    ...(error.requestSent ? { requestId: context.attemptId } : {}),
    ...(error instanceof BadStatusError ? { httpStatus: error.status } : {}),
  };
}

/** One sentence for people: the gateway's own words where there are any. */
function explain(error: GatewayError): string {
  if (!(error instanceof BadStatusError)) return error.message;
  const fields = error.details.fields.map(({ field, message }) => [field, message].filter(Boolean).join(': '));
  return `${error.message}: ${fields.length > 0 ? fields.join('; ') : error.details.text}`;
}
