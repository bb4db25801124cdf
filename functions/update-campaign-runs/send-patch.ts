import {
  BadStatusError,
  classifyFailure,
  failureWords,
  type GatewayClient,
  GatewayError,
  type OperationVerb,
  type Verdict,
} from '#shared/gateway-client/index.ts';
import { readingOf } from '#shared/ledger/rows/campaign-row.ts';
import { isParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { CallFailure, GatewayCalls, PatchAnswer, PatchEffect, RunsConfig } from '../_runs/decide/state.ts';
import type { Gate } from '../_gateway/gate.ts';

/** What the calls need of the world. */
export interface GatewayCallDeps {
  readonly gateway: Pick<GatewayClient, 'updateCampaignRun' | 'getCampaign'>;
  readonly gate: Pick<Gate, 'answered' | 'failed'>;
  readonly callBudgetMs: number;
  readonly config: Pick<RunsConfig, 'mode' | 'gateway'>;
}

/** The two calls of the worker; their results reach the gate once the rows are written. */
export function createGatewayCalls({ gateway, gate, callBudgetMs, config }: GatewayCallDeps): GatewayCalls {
  return {
    /** Sends one PATCH. The process may have been frozen since the row was written: with too little time left nothing is sent. */
    async patch(effect, { attemptId, remainingMs, now }) {
      if (remainingMs() < callBudgetMs) return { answer: noTimeLeft };
      const { input } = effect;
      try {
        const { message } = await gateway.updateCampaignRun({ ...input, requestId: attemptId });
        const isObserved = config.mode === 'observe';
        const answer = { kind: 'applied', detail: isObserved ? message : undefined } as const;
        return { answer, report: () => (isObserved ? undefined : gate.answered()) };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const verdict = classifyFailure('patch', error);
        const answer = answerOf(effect, { error, verdict, requestId: attemptId, now: now() }, config.gateway);
        return { answer, report: () => gate.failed(verdict, input.campaignRunId, failureWords(error)) };
      }
    },
    /** `GET campaign`. A read that fails is never taken for an answer. */
    async readCampaign(campaignId, { attemptId }) {
      try {
        const { campaign } = await gateway.getCampaign({ campaignId, requestId: attemptId });
        return { answer: { kind: 'read', reading: readingOf(campaign) }, report: () => gate.answered() };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const verdict = classifyFailure('get', error);
        const failure = failureOf('get', { error, verdict, requestId: attemptId });
        const why = `campaign ${campaignId} could not be read: ${failure.why}`;
        return { answer: { ...failure, why }, report: () => gate.failed(verdict, campaignId, failureWords(error)) };
      }
    },
  };
}

const noTimeLeft: PatchAnswer = {
  kind: 'not-applied',
  why: 'too little time left for a call',
  evidence: { requestSent: false },
};

/** A call that failed, and what the retry table says about it. */
interface Failed {
  readonly error: GatewayError;
  readonly verdict: Verdict;
  readonly requestId: string;
}

/** What a failed PATCH means for its run (docs/reference/ledger.md, "A run"). */
function answerOf(
  effect: PatchEffect,
  failed: Failed & { readonly now: Date },
  gateway: RunsConfig['gateway'],
): PatchAnswer {
  const { error, verdict } = failed;
  const { to } = effect;
  if (verdict.next === 'applied') return { kind: 'applied', detail: failureWords(error) };
  const failure = failureOf(to, failed);
  if (!(error instanceof BadStatusError)) return failure;
  const isAlready = classifyFailure('patch', error, { alreadyInState: gateway.alreadyInState[to] }).next === 'applied';
  if (to === 'stop') {
    if (isAlready) return { kind: 'applied', detail: failureWords(error) };
    return saysNotGoing(error) ? { ...failure, kind: 'refused', isNotGoing: true } : failure;
  }
  const start = startAnswer(effect, error, { failure, now: failed.now });
  // A 503 is not believed if a repeat costs nothing: a proxy may have passed the request on.
  const isUnknown = error.status === 503 && gateway.startsRepeatSafely;
  return { ...start, ...(isUnknown ? { kind: 'no-answer' } : {}), ...(isAlready ? { isAlready } : {}) };
}

/** A refused `startAt` is one that has passed at the gateway, or says that the run is not going. */
function startAnswer(
  { input: { startAt } }: PatchEffect,
  error: BadStatusError,
  { failure, now }: { readonly failure: CallFailure; readonly now: Date },
): CallFailure {
  const { status, date } = error;
  const isOfStartAt = (status === 400 || status === 422) && namesField(error, 'startAt');
  if (!isOfStartAt || startAt === undefined || date === undefined) {
    return saysNotGoing(error) ? { ...failure, kind: 'refused', isNotGoing: true } : failure;
  }
  const gatewayMs = date.getTime() + dateStepMs;
  if (Date.parse(startAt) > gatewayMs) return { ...failure, kind: 'refused', isNotGoing: true };
  return { ...failure, kind: 'not-applied', aheadMs: Math.max(0, gatewayMs - now.getTime()) };
}

/** What a failure says by itself. A stop is parked by what the table parks; a start of which nothing is known is in doubt. */
function failureOf(call: OperationVerb | 'start' | 'stop', { error, verdict, requestId }: Failed): CallFailure {
  const { reason, pauseMs, parkAfter } = verdict;
  const status = error instanceof BadStatusError ? error.status : undefined;
  return {
    kind: kindOf(call, verdict),
    why: failureWords(error),
    evidence: {
      errorCode: error.code,
      requestSent: error.requestSent,
      requestId: error.requestSent ? requestId : undefined,
      httpStatus: status,
    },
    reason: reason !== undefined && isParkReason(reason) ? reason : undefined,
    patience: status === undefined || parkAfter === undefined ? undefined : { status, ...parkAfter },
    pauseMs,
  };
}

function kindOf(call: OperationVerb | 'start' | 'stop', { applied, next }: Verdict): CallFailure['kind'] {
  if (call === 'start' && applied === 'unknown') return 'no-answer';
  if (next === 'park') return 'refused';
  return call === 'stop' && applied === 'unknown' ? 'no-answer' : 'not-applied';
}

/** The fields of the body, as a complaint may name them. */
const fields = ['status', 'startAt', 'name', 'preserve'] as const;

function namesField({ details }: BadStatusError, ...names: readonly string[]): boolean {
  return details.fields.some(({ field }) => field.split('.').some((part) => names.includes(part)));
}

/** The `Date` of an answer has whole seconds. */
const dateStepMs = 1000;

/** Whether a refusal says that the run is not going. A 404 says so after its patience, and of a start alone. */
function saysNotGoing(error: BadStatusError): boolean {
  const { status } = error;
  return status === 409 || status === 410 || status === 412 || (status === 422 && !namesField(error, ...fields));
}

/** The gateway of a stage that only observes: it is read as always, and a PATCH is answered as applied, without a request. */
export function observedGateway({ getCampaign }: GatewayCallDeps['gateway']): GatewayCallDeps['gateway'] {
  return {
    getCampaign,
    async updateCampaignRun({ campaignRunId, name, preserve, startAt, status }) {
      const body = JSON.stringify({ name, preserve, startAt, status });
      return { message: `would have sent: PATCH /backend/v1/campaign-runs/${campaignRunId} ${body}` };
    },
  };
}
