import { createHash } from 'node:crypto';
import {
  BadStatusError,
  classifyFailure,
  GatewayError,
  laterDelayMs,
  type OperationVerb,
  type UpdateCampaignRunInput,
} from '../../shared/gateway-client/index.ts';
import type { RunItem } from '../../shared/ledger/items.ts';
import { isParkReason, type ParkReason } from '../../shared/vocabulary/reason-codes.ts';
import type { Conclusion } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';

/** What became of one PATCH. */
export type ChangeResult =
  | { readonly kind: 'applied'; readonly detail?: string }
  /** Proven not applied, worth another try. */
  | {
      readonly kind: 'not-applied';
      readonly delayMs: number;
      readonly why: string;
      /** To keep in the run's row: answers in a row that may heal. */
      readonly refusals?: RunItem['refusals'];
    }
  | { readonly kind: 'unknown'; readonly delayMs: number; readonly why: string }
  | {
      readonly kind: 'refused';
      readonly reason: ParkReason;
      readonly detail: string;
      readonly evidence: NonNullable<Conclusion['evidence']>;
    };

/** A stop is worth asking for often: it waits a minute at most between two tries (design: campaign runs). */
const longestStopWaitMs = 60_000;

/** Another attempt has the row, or won a conditional write: it is done in seconds. */
export const shortWaitMs = 2000;

/** How long a command waits for another try, by the deliveries so far. */
export function waitMs(work: CommandWork, deps: Pick<UpdateDeps, 'random'>): number {
  const delayMs = laterDelayMs(work.record.receiveCount, deps.random);
  return work.command.action === 'stop' ? Math.min(delayMs, longestStopWaitMs) : delayMs;
}

/** Sends one PATCH and says what became of it, by the retry table. `row` knows the refusals so far. */
export async function changeRun(
  input: UpdateCampaignRunInput,
  row: RunItem,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<ChangeResult> {
  try {
    await deps.gateway.updateCampaignRun({ ...input, idempotencyKey: keyOf(work.command.id) });
    return { kind: 'applied' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return resultOfFailure('patch', error, row.refusals, work, deps);
  }
}

/** What a failure of the gateway means for a command. */
export function resultOfFailure(
  verb: OperationVerb,
  error: GatewayError,
  earlier: RunItem['refusals'],
  work: CommandWork,
  deps: UpdateDeps,
): ChangeResult {
  const verdict = classifyFailure(verb, error, { alreadyInState: deps.config.gateway.alreadyInState });
  const why = explain(error);
  if (verdict.next === 'applied') return { kind: 'applied', detail: why };
  const now = work.context.now();
  const refusals = verdict.parkAfter === undefined ? undefined : oneMore(earlier, error, now);
  if (verdict.next === 'park' || isTriedOut(verdict.parkAfter, refusals, now)) {
    const reason = verdict.reason !== undefined && isParkReason(verdict.reason) ? verdict.reason : 'CONFLICT';
    return { kind: 'refused', reason, detail: why, evidence: evidenceOf(error) };
  }
  const delayMs = Math.max(verdict.pauseMs ?? 0, verdict.pauseMs === undefined ? waitMs(work, deps) : 0);
  if (verdict.applied !== 'no') return { kind: 'unknown', delayMs, why };
  return { kind: 'not-applied', delayMs, why, ...(refusals === undefined ? {} : { refusals }) };
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

function evidenceOf(error: GatewayError): NonNullable<Conclusion['evidence']> {
  return {
    errorCode: error.code,
    requestSent: error.requestSent,
    ...(error instanceof BadStatusError ? { httpStatus: error.status } : {}),
  };
}

/** One sentence for people: the gateway's own words where there are any. */
function explain(error: GatewayError): string {
  if (!(error instanceof BadStatusError)) return error.message;
  const fields = error.details.fields.map(({ field, message }) => [field, message].filter(Boolean).join(': '));
  return `${error.message}: ${fields.length > 0 ? fields.join('; ') : error.details.text}`;
}

/** A header value has its limits; an id may be anything printable. The vendor's support can find it all the same. */
function keyOf(commandId: string): string {
  return createHash('sha256').update(commandId).digest('hex');
}
