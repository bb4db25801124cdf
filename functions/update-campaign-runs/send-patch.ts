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
import type { CallFailure, GatewayCalls, PatchAnswer, RunsConfig } from '../_runs/decide/state.ts';
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
    async patch(input, { attemptId, remainingMs }) {
      if (remainingMs() < callBudgetMs) return { answer: noTimeLeft };
      try {
        const { message } = await gateway.updateCampaignRun({ ...input, requestId: attemptId });
        const isObserved = config.mode === 'observe';
        const answer = { kind: 'applied', detail: isObserved ? message : undefined } as const;
        return { answer, report: () => (isObserved ? undefined : gate.answered()) };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { verdict, answer } = judged('patch', error, attemptId, config);
        return { answer, report: () => gate.failed(verdict, input.campaignRunId, failureWords(error)) };
      }
    },
    /** `GET campaign`. A read that fails is never taken for an answer. */
    async readCampaign(campaignId, { attemptId, now }) {
      const at = now().toISOString();
      try {
        const { campaign } = await gateway.getCampaign({ campaignId, requestId: attemptId });
        return { answer: { kind: 'read', reading: { ...readingOf(campaign), at } }, report: () => gate.answered() };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { verdict, answer } = judged('get', error, attemptId, config);
        if (answer.kind === 'applied') throw error;
        const why = `campaign ${campaignId} could not be read: ${answer.why}`;
        return { answer: { ...answer, why }, report: () => gate.failed(verdict, campaignId, failureWords(error)) };
      }
    },
  };
}

const noTimeLeft: PatchAnswer = {
  kind: 'not-applied',
  why: 'too little time left for a call',
  evidence: { requestSent: false },
};

/** What a failure of the gateway means, by the retry table. */
function judged(
  verb: OperationVerb,
  error: GatewayError,
  requestId: string,
  { gateway }: GatewayCallDeps['config'],
): { readonly verdict: Verdict; readonly answer: PatchAnswer } {
  const verdict = classifyFailure(verb, error, gateway);
  const why = failureWords(error);
  if (verdict.next === 'applied') return { verdict, answer: { kind: 'applied', detail: why } };
  const status = error instanceof BadStatusError ? error.status : undefined;
  const answer: CallFailure = {
    kind: kindOf(verb, verdict),
    why,
    evidence: {
      errorCode: error.code,
      requestSent: error.requestSent,
      requestId: error.requestSent ? requestId : undefined,
      httpStatus: status,
    },
    reason: verdict.reason !== undefined && isParkReason(verdict.reason) ? verdict.reason : undefined,
    patience: status === undefined ? undefined : patienceOf(verdict, status),
    pauseMs: verdict.pauseMs,
  };
  return { verdict, answer };
}

/** A park after an unknown effect needs no person yet if it is a start: it can be read back. A read has no effect. */
function kindOf(verb: OperationVerb, { applied, next }: Verdict): CallFailure['kind'] {
  if (verb === 'patch' && applied === 'unknown') return 'no-answer';
  return next === 'park' ? 'refused' : 'not-applied';
}

/** How often or how long a refusal that may heal is tried; a changed precondition is worth one more try. */
function patienceOf({ parkAfter, rereadFirst }: Verdict, status: number): CallFailure['patience'] {
  if (rereadFirst === true) return { status, tries: 2 };
  return parkAfter === undefined ? undefined : { status, ...parkAfter };
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
